"""The errors of a scan of wheels become a sample to be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("pyarrow")

from devlint.cli import main
from tests.accuracy.scanned import errors, population
from tests.scan.projects import PROJECT, zipped

WARNING = b"import torch\n\nx = torch.ones(3)\nx.to('cuda')\nprint(x)\n"


def test_errors_are_those_of_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wheels").mkdir()
    zipped(Path("wheels", "pack_b-1.0.post1-py3-none-any.whl"), {**PROJECT, "pack/w.py": WARNING})
    zipped(Path("wheels", "pack_a-2.0-1-cp311-cp311-any.whl"))
    assert CliRunner().invoke(main, ["scan", "wheels", "--out", "out"]).exit_code == 0
    found = errors(Path("out"))
    assert [(each.package, each.path, each.line, each.code) for each in found] == [
        ("pack_a==2.0", "pack/train.py", 6, "DEV201"),
        ("pack_b==1.0.post1", "pack/train.py", 6, "DEV201"),
    ]
    assert population(Path("out")) == {
        "packages": 2,
        "files": 7,
        "shown": {"DEV201": 2, "DEV204": 1},
    }
