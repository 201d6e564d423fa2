"""The scratch folder of a sandbox: what it is made of, and that nothing is left of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from devlint.confirm.sandbox import landlock, seccomp
from devlint.confirm.sandbox.file_overlay import StandIns
from devlint.confirm.sandbox.sandbox import Sandbox, Writes, told
from devlint.confirm.sandbox.scratch_copy import SandboxError, ScratchCopy
from tests.confirm.boxes import contents

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
    monkeypatch.setattr(seccomp, "is_there", lambda: True)
    assert list(told(Writes((), ()))) == ["--sandbox: no file was written."]
    assert list(told(Writes(tuple("abcdefg"), ("x",)))) == [
        "--sandbox: 7 files were written to a copy, and removed with it: a, b, c, d, e and 2 more",
        "--sandbox: 1 file was removed from a copy only: x",
    ]
    monkeypatch.setattr(landlock, "is_there", lambda: False)
    monkeypatch.setattr(seccomp, "is_there", lambda: False)
    free = "--sandbox: nothing here stops C++ code and other programs from "
    assert [line.removeprefix(free) for line in told(Writes((), ()))][1:] == [
        "writing to absolute paths: see docs/dry-run.md",
        "changing permissions and times: see docs/dry-run.md",
    ]


BUSY = """
import os, subprocess, sys, time
import torch
sleeping = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
for environment in (None, {}):
    for is_away in (False, True):
        subprocess.Popen(sleeping, env=environment, start_new_session=is_away)
open("log.csv", "a").write("half of a li")
print("running", flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="nobody tells where processes run")
def test_devlint_is_killed(project: Path) -> None:
    """Nothing of the sandbox runs on, nothing is left of it, and the files are as they were."""
    pytest.importorskip("torch")
    (project / "program.py").write_text(BUSY)
    before = contents(project)
    command = [sys.executable, "-m", "devlint", "run", "--sandbox", "program.py"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=-3) as devlint:
        assert devlint.stdout is not None
        assert devlint.stdout.readline() == b"running\n"
        assert len(running_below(project.parent / "temporary")) == 5
        devlint.kill()
    for _ in range(500):
        if not os.listdir(project.parent / "temporary"):
            break
        time.sleep(0.02)
    assert os.listdir(project.parent / "temporary") == []
    assert running_below(project.parent / "temporary") == []
    assert contents(project) == before


def running_below(folder: Path) -> list[str]:
    """The processes whose working directory is below it."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if Path(os.readlink(f"/proc/{process}/cwd")).is_relative_to(folder):
                found.append(process)
    return found
