"""What docs/dry-run.md and docs/confirm.md show to be printed is printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import arguments, blocks

pytest.importorskip("torch")

VERSION = re.compile(r"\btorch \d[\w.+]*")
#: Where the programs of documents are.
HOME = "/home/me"


@pytest.mark.parametrize("document", ["docs/dry-run.md", "docs/confirm.md"])
def test_output_is_what_is_printed(document: str, tmp_path: Path) -> None:
    for block in blocks("python"):
        if block.document == document and block.file:
            (tmp_path / block.file).write_text(block.text)
    [shown] = [block for block in blocks("console") if block.document == document]
    command, _, output = shown.text.partition("\n")
    words = arguments(command.removeprefix("$ "))
    assert general(printed(words, tmp_path)) == general(output)


def printed(words: list[str], folder: Path) -> str:
    """Both streams, as on a terminal."""
    command = [sys.executable, "-m", "devlint", *words]
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    return done.stdout.replace(str(folder), HOME)


def general(text: str) -> str:
    """The same for each version of torch."""
    return VERSION.sub("torch", text)
