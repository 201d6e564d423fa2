"""The language server follows imports, and knows the settings of the editor."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from tests.lsp_editor import EDITORS, HEAD, MIX, Editor, session

MADE = "import torch\n\n\ndef made():\n    return torch.ones(3, device='{}')\n"
USER = "import torch\nfrom made import made\n\nscaled = made() * torch.ones(3)\n"
SCRIPT = HEAD + MIX + "\n\nif __name__ == '__main__':\n    print(scaled)\n"


def codes(found: list[types.Diagnostic]) -> list[object]:
    return [each.code for each in found]


@pytest.mark.parametrize("name", EDITORS)
def test_imports_are_followed_into_what_is_open_and_into_what_is_not(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "made.py").write_text(MADE.format("cuda"))

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        user = editor.open(USER, "user.py")
        [one] = await editor.diagnostics(user)
        assert (one.code, one.range.start.line) == ("DEV201", 3)
        places = {each.location.uri for each in one.related_information or ()}
        assert places == {editor.uri("made.py"), user}
        made = editor.open(MADE.format("cpu"), "made.py")
        editor.change(user, USER + "\n", 2)
        assert await editor.diagnostics(user) == []
        editor.change(made, MADE.format("cuda"))
        editor.change(user, USER, 3)
        assert codes(await editor.diagnostics(user)) == ["DEV201"]

    session(talk, tmp_path, name)


def test_a_file_that_changes_on_disk_is_read_again(tmp_path: Path) -> None:
    made = tmp_path / "made.py"
    made.write_text(MADE.format("cuda"))

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        user = editor.open(USER, "user.py")
        assert codes(await editor.diagnostics(user)) == ["DEV201"]
        made.write_text(MADE.format("cpu"))
        assert await editor.diagnostics(user) == []

    session(talk, tmp_path)


def test_a_module_that_was_never_saved_is_found(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        user = editor.open(USER, "user.py")
        assert await editor.diagnostics(user) == []
        editor.open(MADE.format("cuda"), "made.py")
        assert codes(await editor.diagnostics(user)) == ["DEV201"]

    session(talk, tmp_path)


@pytest.mark.parametrize("name", EDITORS[1:])
def test_who_uses_a_text_is_looked_at_again_when_it_is_saved(tmp_path: Path, name: str) -> None:
    (tmp_path / "made.py").write_text(MADE.format("cuda"))

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        user = editor.open(USER, "user.py")
        assert codes(await editor.diagnostics(user)) == ["DEV201"]
        made = editor.open(MADE.format("cuda"), "made.py")
        editor.change(made, MADE.format("cpu"))
        editor.client.diagnostics.pop(user, None)
        editor.save(made)
        assert await editor.diagnostics(user) == []

    session(talk, tmp_path, name)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (None, ["DEV201"]),
        ({"select": [], "confidence": None, "configuration": ""}, ["DEV201"]),
        ({"ignore": ["mixed-devices"]}, []),
        ({"select": ["DEV4"]}, []),
        ({"configuration": "other.toml"}, []),
        ({"interpreter": "python3", "enable": True}, ["DEV201"]),
    ],
)
def test_the_settings_of_the_editor_hold(
    tmp_path: Path, options: object, expected: list[str]
) -> None:
    (tmp_path / "other.toml").write_text('ignore = ["DEV201"]\n')

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        assert codes(await editor.diagnostics(editor.open(HEAD + MIX))) == expected

    session(talk, tmp_path, options=options)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            {"selct": ["DEV2"]},
            "the editor's settings: none is called 'selct'; did you mean select?",
        ),
        ({"lintOn": "typing"}, "the editor's settings: lintOn: expected change or save"),
        ({"configuration": 3}, "the editor's settings: configuration: expected the path of a file"),
        ({"confidence": "full"}, "confidence: expected"),
        ({"ignore": ["DEV2x"]}, "DEV2x"),
    ],
)
def test_a_wrong_setting_is_said_in_one_line(
    tmp_path: Path, options: object, complaint: str
) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        await editor.diagnostics(editor.open(HEAD + MIX))
        [message] = editor.client.messages
        assert message.message.startswith("devlint: ")
        assert complaint in message.message
        assert "\n" not in message.message

    session(talk, tmp_path, options=options)


@pytest.mark.parametrize("settings", [{"devlint": {"ignore": ["DEV201"]}}, None])
def test_settings_may_change_and_are_told_or_asked_for(tmp_path: Path, settings: object) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD + MIX)
        assert codes(await editor.diagnostics(uri)) == ["DEV201"]
        editor.client.set_configuration({"devlint": {"ignore": ["DEV2"]}})
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams(settings)
        )
        while await editor.diagnostics(uri):
            await asyncio.sleep(0.01)

    session(talk, tmp_path)


def test_what_was_asked_for_before_settings_changed_is_not_kept(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD + MIX * 200)
        before = asyncio.create_task(editor.diagnostics(uri))
        await asyncio.sleep(0)
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"devlint": {"ignore": ["DEV2"]}})
        )
        await before
        assert not await editor.diagnostics(uri)

    session(talk, tmp_path)


@pytest.mark.parametrize("name", EDITORS)
def test_a_text_may_be_looked_at_on_save_only(tmp_path: Path, name: str) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD)
        assert await editor.diagnostics(uri) == []
        editor.client.text_document_did_change(editor.changed(uri, HEAD + MIX, 2))
        await asyncio.sleep(0.4)
        if editor.pulls:
            assert await editor.diagnostics(uri) == []
        else:
            assert not editor.client.diagnostics[uri]
        editor.client.diagnostics.pop(uri, None)
        editor.save(uri)
        assert codes(await editor.diagnostics(uri)) == ["DEV201"]

    session(talk, tmp_path, name, options={"lintOn": "save"})


def test_a_script_can_be_tried_from_above_it(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(SCRIPT)
        run, confirm = await editor.lenses(uri)
        assert [each.command for each in (run, confirm)] == [
            types.Command("Dry-run on emulated CUDA", "devlint.dryRun", arguments=(uri,)),
            types.Command(
                "Confirm the finding by small programs", "devlint.confirm", arguments=(uri,)
            ),
        ]
        assert run.range.start.line == confirm.range.start.line == 6
        library = editor.open("import torch\n\n\ndef f(x):\n    return x.cuda()\n", "b.py")
        assert await editor.lenses(library) == []
        assert await editor.lenses(editor.open("print(1)\n", "c.py")) == []

    session(talk, tmp_path, options={"codeLens": True})


def test_an_editor_that_cannot_run_programs_is_offered_none(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        assert await editor.lenses(editor.open(SCRIPT)) == []

    session(talk, tmp_path)


def test_the_rule_of_a_finding_is_explained_under_the_pointer(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD + MIX)
        text = await editor.hover(uri, 3, 10)
        assert text is not None
        assert "`weights` is a tensor on cuda" in text
        page = text.partition("**DEV201** `mixed-devices`\n\n")[2]
        assert page.startswith("Operands of one operation live on different devices.\n\nPyTorch ")
        assert page.endswith("`devlint rule DEV201` shows examples, and says when it is silent.")
        assert "##" not in page
        assert "DEV201" not in (await editor.hover(uri, 1, 2) or "")

    session(talk, tmp_path)


@pytest.mark.parametrize("name", EDITORS)
def test_the_whole_project_can_be_looked_at(tmp_path: Path, name: str) -> None:
    (tmp_path / "bad.py").write_text(HEAD + MIX)
    (tmp_path / "helper.py").write_text(
        "import torch\n\n\ndef scaled(x):\n    return x * torch.ones(3)\n"
    )
    (tmp_path / "user.py").write_text(
        "import torch\nfrom helper import scaled\n\nscaled(torch.ones(3, device='cuda'))\n"
    )

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        assert await editor.lint() == {"files": 3, "findings": 2}
        [bad] = await editor.sent(editor.uri("bad.py"))
        assert (bad.code, bad.range.start.line, bad.range.start.character) == ("DEV201", 3, 9)
        [helper] = [*await editor.sent(editor.uri("helper.py"))]
        # What only the project shows is kept when the file is opened, until it is edited.
        editor.client.diagnostics.clear()
        text = (tmp_path / "helper.py").read_text()
        uri = editor.open(text, "helper.py")
        [same] = await editor.diagnostics(uri)
        assert (same.code, same.range) == (helper.code, helper.range)
        (tmp_path / "bad.py").write_text(HEAD)
        editor.client.diagnostics.clear()
        assert (await editor.lint())["files"] == 3
        assert await editor.sent(editor.uri("bad.py")) == []

    session(talk, tmp_path, name)


def test_what_is_open_is_said_once(tmp_path: Path) -> None:
    cell: dict[str, object] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
    }
    cells = [{**cell, "source": HEAD + MIX}]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    (tmp_path / "nb.ipynb").write_text(text)
    (tmp_path / "a b.py").write_text(HEAD + MIX)

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        assert editor.pulls
        uri = editor.open(HEAD + MIX, "a b.py")
        assert codes(await editor.diagnostics(uri)) == ["DEV201"]
        assert await editor.lint() == {"files": 2, "findings": 2}
        notebook = editor.uri("nb.ipynb")
        assert codes(await editor.sent(notebook)) == ["DEV201"]
        assert uri not in editor.client.diagnostics
        editor.client.diagnostics.clear()
        editor.open_notebook(notebook, HEAD + MIX)
        assert codes(await editor.sent(f"{notebook}#0")) == ["DEV201"]
        assert await editor.sent(notebook) == []
        editor.client.diagnostics.clear()
        editor.close_notebook(notebook, 1)
        assert await editor.sent(f"{notebook}#0") == []
        assert codes(await editor.sent(notebook)) == ["DEV201"]

    session(talk, tmp_path)


def test_a_question_can_be_taken_back(tmp_path: Path) -> None:
    slow = "".join(f"def f{n}(x):\n    return x.cuda() * torch.ones(3)\n" for n in range(200))

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD + slow)
        asked = editor.client.protocol.send_request(
            types.TEXT_DOCUMENT_DIAGNOSTIC,
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri)),
            msg_id="slow",
        )
        editor.client.cancel_request(types.CancelParams("slow"))
        with pytest.raises(JsonRpcRequestCancelled):
            await asyncio.wrap_future(asked)
        editor.change(uri, HEAD + MIX)
        assert codes(await editor.diagnostics(uri)) == ["DEV201"]

    session(talk, tmp_path)


def test_random_edits_are_answered(tmp_path: Path) -> None:
    """A thousand edits, one character or one line each, with questions in between."""
    chance = random.Random(20261129)
    lines = (SCRIPT + USER).splitlines(keepends=True)

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri, text = editor.open(SCRIPT), SCRIPT
        for version in range(2, 1002):
            at = chance.randrange(len(text) + 1)
            cut = chance.choice((0, 0, 1, 7))
            text = text[:at] + chance.choice((*"(:=.\n\t'", *lines)) + text[at + cut :]
            editor.change(uri, text, version)
            if version % 50 == 0:
                line = chance.randrange(text.count("\n") + 1)
                await asyncio.gather(
                    editor.diagnostics(uri),
                    *(editor.hover(uri, line, 3), editor.hints(uri, 0, line)),
                    *(editor.actions(uri, line), editor.lenses(uri)),
                )
        editor.change(uri, HEAD + MIX, 1002)
        assert codes(await editor.diagnostics(uri)) == ["DEV201"]
        assert [each.message for each in editor.client.log_messages] == []

    session(talk, tmp_path, options={"inlayHints": True, "codeLens": True})
