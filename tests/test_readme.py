"""Who follows the README, or a page like it, sees what it shows."""

from __future__ import annotations

import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.documents import Block, arguments, blocks

#: The documents whose commands run, with the programs in them.
FOLLOWED = ("README.md", "docs/usage.md", "docs/why.md")
#: What commands import of which a machine may have none; `run`: the program of the README.
NEEDS = {"run": ["torch", "torchvision"], "confirm": ["torch"], "evidence": ["torch"]}


def shown(document: str, *languages: str) -> list[Block]:
    return [block for block in blocks(*languages) if block.document == document]


@pytest.fixture(params=FOLLOWED)
def document(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """A document; where the test is, a new repository has its programs."""
    monkeypatch.chdir(tmp_path)
    for block in shown(request.param, "python"):
        if block.file:
            Path(block.file).write_text(block.text)
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm a"):
        subprocess.run(["git", *command.split()], check=True)
    return str(request.param)


def devlint(words: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "devlint", *words]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def test_output_is_what_is_printed(document: str) -> None:
    consoles = shown(document, "console")
    assert consoles
    for block in consoles:
        command, _, output = block.text.partition("\n")
        done = devlint(arguments(command.removeprefix("$ ")))
        assert done.stdout + done.stderr == output, shlex.quote(command)


@pytest.mark.parametrize("document", ["README.md"], indirect=True)
def test_commands_run(document: str) -> None:
    commands = [words for block in shown(document, "sh") for words in block.commands()]
    assert len(commands) > 5
    for words in commands:
        if None in map(find_spec, NEEDS.get(words[0], ())):
            continue
        done = devlint(words)
        assert done.returncode < 2, (words, done.stderr)
        assert "error:" not in done.stderr
        if words[0] == "run":
            assert "found by the linter too; 1 finding of the linter: 1 confirmed." in done.stderr
