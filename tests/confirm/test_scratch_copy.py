"""The scratch folder of a sandbox: what it is made of, and that nothing is left of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.confirm.sandbox import landlock
from devlint.confirm.sandbox.file_overlay import StandIns
from devlint.confirm.sandbox.sandbox import Sandbox, Writes, told
from devlint.confirm.sandbox.scratch_copy import SandboxError, ScratchCopy

pytestmark = pytest.mark.skipif(os.name == "nt", reason="makes links")


def test_a_program_is_killed(project: Path) -> None:
    """Its sandbox goes with the process that made it."""
    code = (
        "import sys, time; from devlint.confirm.sandbox.sandbox import Sandbox\n"
        "with Sandbox.of(sys.argv[1]) as sandbox:\n"
        "    print(sandbox.root, flush=True)\n"
        "    time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, project], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    root = child.stdout.readline().strip()
    assert os.path.isdir(root)
    child.send_signal(signal.SIGTERM)
    assert child.wait() == 128 + signal.SIGTERM
    assert not os.path.exists(root)


def test_the_copy_is_removed_whatever_a_run_leaves(project: Path) -> None:
    with Sandbox.of(str(project)) as sandbox:
        Path(sandbox.folder, "runs/best.pt").chmod(0o400)
        Path(sandbox.folder, "runs/link").symlink_to(project.parent / "away")
        Path(sandbox.folder, "runs").chmod(0o500)
        Path(sandbox.folder, "data").chmod(0)
        Path(project.parent, "away").chmod(0o500)
    assert not os.path.exists(sandbox.root)
    assert Path(project.parent, "away").stat().st_mode & 0o777 == 0o500


def test_paths_have_their_stand_ins_and_back(project: Path) -> None:
    with Sandbox.of(str(project)) as sandbox:
        inside = sandbox.inside(str(project / "runs/best.pt"))
        assert inside == f"{sandbox.folder}/runs/best.pt"
        assert sandbox.original(inside) == str(project / "runs/best.pt")
        assert os.path.basename(sandbox.folder) == "project"
        assert sandbox.inside("/usr/train.py") == sandbox.original("/usr/train.py")


def test_what_is_no_project_is_refused(project: Path) -> None:
    for folder in ("/", str(project.parent / "home"), str(project.parent)):
        with pytest.raises(SandboxError, match="run from the folder of the project"):
            Sandbox.of(folder)


def scratch(project: Path, *limits: int) -> Path:
    root = project.parent / "temporary" / "root"
    stand_ins = StandIns(str(root), str(project), ())
    ScratchCopy(stand_ins, *limits).make()
    return Path(stand_ins.copy)


def test_what_is_copied_and_what_is_linked(project: Path) -> None:
    for name in (".git", "env", "__pycache__", "odd \n\udcff name"):
        (project / name).mkdir()
        (project / name / "pyvenv.cfg" if name == "env" else project / name / "x").touch()
    os.mkfifo(project / "pipe")
    (project / "loop").symlink_to(project)
    (project / "dangling").symlink_to("nothing")
    os.utime(project / "runs/best.pt", (1, 1))
    os.utime(project / "runs", (2, 2))
    copy = scratch(project)
    links = {each.name: os.readlink(each) for each in copy.iterdir() if each.is_symlink()}
    assert links == {
        ".git": str(project / ".git"),
        "env": str(project / "env"),
        "large.bin": str(project / "large.bin"),
        "shared": str(project.parent / "away"),
        "latest.pt": "runs/best.pt",
        "absolute.csv": "log.csv",
        "loop": ".",
        "dangling": "nothing",
    }
    others = {each.name for each in copy.iterdir()} - links.keys()
    assert others == {"runs", "data", "log.csv", "odd \n\udcff name"}
    for name in ("runs/best.pt", "runs"):
        assert (copy / name).stat().st_mtime == (project / name).stat().st_mtime


def test_large_folders_are_linked(project: Path) -> None:
    copy = scratch(project, 9)
    assert os.readlink(copy / "data/raw") == str(project / "data/raw")
    assert (copy / "runs").is_dir()


def test_a_full_disk_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copy2", full)
    with pytest.raises(SandboxError, match="no space left"):
        Sandbox.of(str(project)).__enter__()
    assert list((project.parent / "temporary").iterdir()) == []


def test_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "is_there", lambda: True)
    assert list(told(Writes((), ()))) == ["--sandbox: no file was written."]
    assert list(told(Writes(tuple("abcdefg"), ("x",)))) == [
        "--sandbox: 7 files were written to a copy, and removed with it: a, b, c, d, e and 2 more",
        "--sandbox: 1 file was removed from a copy only: x",
    ]
    monkeypatch.setattr(landlock, "is_there", lambda: False)
    assert [line for line in told(Writes((), ())) if "C++ code and other programs" in line]
