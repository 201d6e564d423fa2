"""Who follows the README sees what it shows."""

from __future__ import annotations

import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.documents import Block, arguments, blocks

#: What commands import of which a machine may have none; `run`: the program of the README.
NEEDS = {"run": ["torch", "torchvision"], "confirm": ["torch"], "evidence": ["torch"]}


def readme(*languages: str) -> list[Block]:
    return [block for block in blocks(*languages) if block.document == "README.md"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new repository with the program of the README."""
    monkeypatch.chdir(tmp_path)
    for block in readme("python"):
        if block.file:
            Path(block.file).write_text(block.text)
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm a"):
        subprocess.run(["git", *command.split()], check=True)
    return tmp_path


def devlint(words: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "devlint", *words]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def test_output_is_what_is_printed(project: Path) -> None:
    shown = readme("console")
    assert shown
    for block in shown:
        command, _, output = block.text.partition("\n")
        done = devlint(arguments(command.removeprefix("$ ")))
        assert done.stdout + done.stderr == output, shlex.quote(command)


def test_commands_run(project: Path) -> None:
    commands = [words for block in readme("sh") for words in block.commands()]
    assert len(commands) > 5
    for words in commands:
        if None in map(find_spec, NEEDS.get(words[0], ())):
            continue
        done = devlint(words)
        assert done.returncode < 2, (words, done.stderr)
        assert "error:" not in done.stderr
        if words[0] == "run":
            assert "found by the linter too; 1 finding of the linter: 1 confirmed." in done.stderr
