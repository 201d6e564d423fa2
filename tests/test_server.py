"""The language server, as editors of several kinds talk to it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp_editor import EDITORS, HEAD, MIX, Editor, session

MODEL = (
    "import torch\nfrom torch import nn\n\ndevice = torch.device('cuda')\n"
    "model = nn.Sequential(nn.Linear(4, 4)).to(device)\nmodel.fc = nn.Linear(4, 2)\n"
    "model(torch.ones(2, 4, device=device))\n"
)


def applied(text: str, action: types.CodeAction, uri: str) -> str:
    """A text after an action, in whose columns every character is one unit."""
    assert action.edit is not None
    if action.edit.document_changes is not None:
        edits = [
            edit
            for change in action.edit.document_changes
            if isinstance(change, types.TextDocumentEdit) and change.text_document.uri == uri
            for edit in change.edits
        ]
    else:
        edits = [*(action.edit.changes or {}).get(uri, ())]
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for edit in sorted(edits, key=lambda each: each.range.start, reverse=True):
        assert isinstance(edit, types.TextEdit)
        start, end = (starts[p.line] + p.character for p in (edit.range.start, edit.range.end))
        text = text[:start] + edit.new_text + text[end:]
    return text


@pytest.mark.parametrize("name", EDITORS)
def test_findings_arrive_with_their_related_places(tmp_path: Path, name: str) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        [one] = await editor.diagnostics(editor.open(HEAD + MIX))
        assert (one.code, one.source, one.severity) == ("DEV201", "devlint", 1)
        assert (one.range.start.line, one.range.start.character) == (3, 9)
        places = [each.location for each in one.related_information or ()]
        assert [each.range.start.line for each in places] == [1, 2]

    session(talk, tmp_path, name)


@pytest.mark.parametrize(
    ("offered", "agreed", "column"),
    [(None, "utf-16", 18), ("utf-8", "utf-8", 21), ("utf-32", "utf-32", 17)],
)
def test_columns_are_in_the_agreed_unit(
    tmp_path: Path, offered: str | None, agreed: str, column: int
) -> None:
    text = HEAD + 's = "\N{GRINNING FACE}\xe9"; a = 0; weights * mask\n'

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        assert told.capabilities.position_encoding == agreed
        [one] = await editor.diagnostics(editor.open(text))
        assert one.range.start.character == column

    session(talk, tmp_path, EDITORS[1], encoding=offered)


@pytest.mark.parametrize("name", EDITORS)
def test_a_change_is_looked_at_and_a_closed_text_forgotten(tmp_path: Path, name: str) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD)
        assert await editor.diagnostics(uri) == []
        editor.change(uri, HEAD + MIX)
        assert len(await editor.diagnostics(uri)) == 1
        editor.client.diagnostics.pop(uri, None)
        editor.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )
        assert await editor.sent(uri) == []

    session(talk, tmp_path, name)


@pytest.mark.parametrize(
    "typed",
    [
        "net.",
        "if x",
        "def f(",
        "for i in range(3):",
        "y = foo(weights,",
        "try:\n    x = 1",
        "else:",
    ],
)
def test_half_typed_statements_do_not_hide_the_others(tmp_path: Path, typed: str) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(f"{HEAD}{MIX}{typed}\n")
        assert [each.code for each in await editor.diagnostics(uri)] == ["DEV201"]

    session(talk, tmp_path)


def test_a_text_that_says_too_little_keeps_what_was_said(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD + MIX)
        assert len(await editor.diagnostics(uri)) == 1
        editor.change(uri, HEAD + MIX + '"""\n' + "no python here\n" * 30)
        assert len(await editor.diagnostics(uri)) == 1

    session(talk, tmp_path)


def test_a_quick_fix_and_all_fixes_mend_the_text(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(MODEL)
        [one] = await editor.diagnostics(uri)
        line = one.range.start.line
        [fix, *_] = await editor.actions(uri, line, "quickfix")
        [everything] = await editor.actions(uri, 0, "source.fixAll.devlint")
        for version, action in enumerate((fix, everything), 2):
            editor.change(uri, applied(MODEL, action, uri), version)
            assert await editor.diagnostics(uri) == []

    session(talk, tmp_path)


def test_a_line_can_be_ignored(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD + MIX)
        [ignore] = [each for each in await editor.actions(uri, 3) if "ignore" in each.title]
        text = applied(HEAD + MIX, ignore, uri)
        assert text.endswith("mask  # devlint: ignore[DEV201]\n")
        editor.change(uri, text)
        assert await editor.diagnostics(uri) == []

    session(talk, tmp_path)


def test_the_cells_of_a_notebook_are_one_program(tmp_path: Path) -> None:
    texts = (f"%matplotlib inline\n{HEAD}", "x = (", f"{MIX}scaled.")

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        cells = [f"vscode-notebook-cell:/nb.ipynb#{number}" for number in range(len(texts))]
        editor.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(
                types.NotebookDocument(
                    editor.uri("nb.ipynb"),
                    "jupyter-notebook",
                    1,
                    [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in cells],
                ),
                [
                    types.TextDocumentItem(uri, types.LanguageKind.Python, 1, text)
                    for uri, text in zip(cells, texts, strict=True)
                ],
            )
        )
        [one] = await editor.sent(cells[2])
        assert (one.code, one.range.start.line) == ("DEV201", 0)
        assert [each.location.uri for each in one.related_information or ()] == [cells[0]] * 2
        assert await editor.sent(cells[0]) == []

    session(talk, tmp_path)


def test_the_configuration_of_the_project_holds_and_may_change(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text('[tool.devlint]\nignore = ["DEV201"]\n')

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD + MIX)
        assert await editor.diagnostics(uri) == []
        project.write_text('[tool.devlint]\nfail-level = "error"\n')
        change = types.FileEvent(project.as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams([change])
        )
        assert len(await editor.diagnostics(uri)) == 1

    session(talk, tmp_path)


def test_a_wrong_configuration_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.devlint]\nignroe = ["DEV201"]\n')

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD + MIX)
        assert await editor.diagnostics(uri) == []
        editor.change(uri, HEAD + MIX + MIX)
        assert await editor.diagnostics(uri) == []
        [message] = editor.client.messages
        assert "did you mean ignore" in message.message.replace("`", "").replace("'", "")

    session(talk, tmp_path)


@pytest.mark.parametrize(
    ("name", "count"),
    [("venv/lib/site-packages/x.py", 0), (".virtual_documents/n.ipynb", 1), ("readme.md", 1)],
)
def test_texts_that_a_run_would_not_read(tmp_path: Path, name: str, count: int) -> None:
    text = f"```python\n{HEAD}{MIX}```\n" if name.endswith(".md") else HEAD + MIX

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        assert len(await editor.diagnostics(editor.open(text, name))) == count

    session(talk, tmp_path)


def test_fast_typing_leaves_no_queue_behind(tmp_path: Path) -> None:
    slow = "".join(f"def f{n}(x):\n    return x.cuda() * torch.ones(3)\n" for n in range(200))

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open(HEAD + slow)
        asked = []
        for version in range(2, 7):
            editor.change(uri, HEAD + slow + MIX * version, version)
            asked.append(asyncio.ensure_future(editor.diagnostics(uri)))
        counts = [sum(each.code == "DEV201" for each in await one) for one in asked]
        assert counts[-1] >= 6
        assert len(set(counts)) < len(counts), "what has changed since is not analysed"

    session(talk, tmp_path)


def test_a_text_that_is_gone_before_its_turn_comes_has_no_findings(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        assert await editor.diagnostics(editor.uri("gone.py")) == []

    session(talk, tmp_path)


def test_a_cell_that_is_taken_out_or_half_typed_says_nothing_more(tmp_path: Path) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.uri("a.ipynb")
        texts = [
            types.TextDocumentItem(f"{uri}#{number}", types.LanguageKind.Python, 1, text)
            for number, text in enumerate((HEAD, MIX, "again = weights * mask\n"))
        ]
        cells = [types.NotebookCell(types.NotebookCellKind.Code, each.uri) for each in texts]
        notebook = types.NotebookDocument(uri, "jupyter-notebook", 1, cells)
        editor.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(notebook, texts)
        )
        # All cells are told of the first state before there is another.
        assert [len(await editor.sent(each.uri)) for each in texts] == [0, 1, 1]
        structure = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(1, 1), None, [types.TextDocumentIdentifier(texts[1].uri)]
        )
        edits = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(2, texts[2].uri),
            [types.TextDocumentContentChangeWholeDocument("again = weights * (\n")],
        )
        for each in texts:
            editor.client.diagnostics.pop(each.uri, None)
        editor.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(2, uri),
                types.NotebookDocumentChangeEvent(
                    cells=types.NotebookDocumentCellChanges(structure, text_content=[edits])
                ),
            )
        )
        assert await editor.sent(texts[1].uri) == []
        assert await editor.sent(texts[2].uri) == []

    session(talk, tmp_path)


HINTED = """import torch
from made import made

'😀'; x = made()
y, model = x.cuda(), torch.nn.Linear(3, 3)
device = x.device
for part in torch.ones(3):
    unknown = part.numpy()
"""


def test_where_names_are_stands_beside_them_if_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text("import torch\n\n\ndef made():\n    return torch.ones(3)\n")

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        assert told.capabilities.inlay_hint_provider
        uri = editor.open(HINTED)
        found = await editor.hints(uri, 0, 8)
        assert [(each.position.line, each.position.character, each.label) for each in found] == [
            *[(3, 7, "on the CPU"), (4, 1, "on cuda"), (4, 8, "on the CPU"), (6, 8, "on the CPU")]
        ]
        assert isinstance(found[0].tooltip, types.MarkupContent)
        assert found[0].tooltip.value == "made.py:5:12: made on the CPU here"
        assert len(await editor.hints(uri, 4, 5)) == 2
        editor.change(uri, "x = (")
        assert await editor.hints(uri, 0, 8) == []
        editor.change(uri, "import torch\nx = torch.ones(3)\n")
        assert [each.label for each in await editor.hints(uri, 0, 8)] == ["on the CPU"]

    session(talk, tmp_path, options={"inlayHints": True})


@pytest.mark.parametrize("options", [None, [], {}, {"inlayHints": False}, {"inlayHints": "yes"}])
def test_nothing_stands_beside_names_unless_that_is_asked_for(
    tmp_path: Path, options: object
) -> None:
    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        uri = editor.open("import torch\nx = torch.ones(3)\n")
        assert await editor.hints(uri, 0, 8) == []

    session(talk, tmp_path, options=options)


def test_what_is_known_of_a_value_is_told_under_the_pointer(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text("import torch\n\n\ndef made():\n    return torch.ones(3)\n")

    async def talk(editor: Editor, told: types.InitializeResult) -> None:
        assert told.capabilities.hover_provider
        uri = editor.open("from made import made\n'😀'; x = made()\n\n")
        assert await editor.hover(uri, 1, 10) == (
            "`made()` is a tensor on the CPU\n- made.py:5:12: made on the CPU here"
        )
        assert await editor.hover(uri, 2, 0) is None
        editor.change(uri, "x = (")
        assert await editor.hover(uri, 0, 0) is None

    session(talk, tmp_path)
