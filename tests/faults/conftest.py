"""A file with a finding that can be fixed, in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.running import TEXT


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    Path("a.py").write_text(TEXT)
    return tmp_path / "here"
