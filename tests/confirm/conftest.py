"""What the tests of emulated CUDA and of sandboxes have in common."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from devlint.cli import run as verb
from devlint.confirm.emulation.torch_requirement import EmulationError, required
from devlint.confirm.sandbox import scratch_copy
from tests.confirm.runs import Run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a checkpoint, a log, data, and links in and out; another folder beside it."""
    for name in ("project/runs", "project/data/raw", "away/old", "home/.cache", "temporary"):
        (tmp_path / name).mkdir(parents=True)
    project = tmp_path / "project"
    (project / "runs/best.pt").write_bytes(b"weights of a week")
    (project / "log.csv").write_text("step,loss\n")
    (project / "data/raw/one.txt").write_text("one")
    (tmp_path / "away/model.pt").write_bytes(b"shared weights")
    (tmp_path / "away/old/first.pt").write_bytes(b"first weights")
    (project / "latest.pt").symlink_to("runs/best.pt")
    (project / "shared").symlink_to(tmp_path / "away")
    (project / "absolute.csv").symlink_to(project / "log.csv")
    with (project / "large.bin").open("wb") as file:
        file.truncate(scratch_copy.FILE_MOST + 1)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return project


@pytest.fixture
def broken(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> str:
    """Processes that start now find a PyTorch that cannot be replaced; the words for that."""
    folder = tmp_path_factory.mktemp("broken")
    module = "devlint.confirm.torch_patches.gradients"
    (folder / "sitecustomize.py").write_text(f"import sys; sys.modules[{module!r}] = None\n")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    error = ModuleNotFoundError(f"import of {module} halted; None in sys.modules")
    with pytest.raises(EmulationError) as told, required():
        raise error
    return str(told.value)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """In an empty folder, whose settings are nobody's."""
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments: str) -> tuple[int, str, str]:
        status = verb.run.main(["--isolated", *arguments], standalone_mode=False)
        return (status, *capfd.readouterr())

    return run_here
