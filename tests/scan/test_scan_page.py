"""docs/scan.md: the tables of several scans are read as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("pyarrow.dataset")

from devlint.cli import main
from tests.documents import blocks
from tests.scan.projects import PROJECT, folder, zipped

DROPPED = b"import torch\n\nx = torch.ones(3)\nx.to('cuda')\nprint(x)\n"


def test_tables_are_read_as_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder(Path("net"), {**PROJECT, "pack/dropped.py": DROPPED})
    zipped(Path("net.zip"))
    for day, source in (("monday", "net"), ("tuesday", "net.zip")):
        assert CliRunner().invoke(main, ["scan", source, "--out", day]).exit_code == 0
    [block] = [each for each in blocks("python") if "pyarrow.dataset" in each.text]
    shown: dict[str, Any] = {}
    exec(block.text, shown)
    assert shown["findings"].count_rows() == 3
    found = shown["errors"].to_pylist()
    assert [(each["code"], Path(each["project"]).name) for each in found] == [
        ("DEV201", "net"),
        ("DEV201", "net.zip"),
    ]
