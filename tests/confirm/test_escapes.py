"""Nothing that a program does in a sandbox changes a file of its user, or what there is to one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.confirm.sandbox import landlock, seccomp
from tests.confirm.boxes import contents, metadata, run_boxed
from tests.confirm.escapes import ESCAPES

pytestmark = [
    pytest.mark.skipif(not landlock.is_there(), reason="the kernel has no Landlock"),
    pytest.mark.skipif(not seccomp.is_there(), reason="the kernel has no seccomp filters"),
]
#: Others may not do them anywhere.
OF_ROOT = {"chroot", "a mount", "memory of the parent", "ptrace of the parent"}
OF_ATTRIBUTES = "attr"

OWN = """
import os, shutil, stat, subprocess, tempfile
def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)
open("run.sh", "w").write("#!/bin/sh\\nexit 7")
os.chmod("run.sh", 0o755)
assert subprocess.run(["./run.sh"]).returncode == 7
os.utime(here + "/log.csv", (1, 2))
assert os.path.getmtime("log.csv") == os.path.getmtime(here + "/log.csv") == 2
with open("{away}/model.pt") as file:
    shutil.copy2("{away}/model.pt", "copied")
    assert os.path.getmtime("copied") == os.fstat(file.fileno()).st_mtime
os.chmod("{away}/model.pt", 0o640)
assert mode("{away}/model.pt") == 0o640
with tempfile.TemporaryFile() as file:
    os.fchmod(file.fileno(), 0o640)
    assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o640
folder = os.open("runs", os.O_RDONLY)
os.chmod("best.pt", 0o444, dir_fd=folder)
assert mode("runs/best.pt") == 0o444
for function in (os.chmod, os.utime, os.chown):
    try:
        function("nothing", *{os.chmod: [1], os.utime: [], os.chown: [0, 0]}[function])
    except FileNotFoundError as error:
        assert error.filename == "nothing"
    else:
        raise AssertionError(function)
subprocess.run(["cp", "-p", "copied", "again"], check=True)
subprocess.run(["chmod", "600", "again"], check=True)
"""


@pytest.fixture
def user(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, of a user who has more."""
    home = project.parent / "home"
    for name in (".ssh", ".config"):
        (home / name).mkdir(mode=0o700)
    (home / ".bashrc").write_text("set -u\n")
    (project / "data/empty").mkdir()
    for path in (project / "log.csv", project.parent / "away/model.pt", project / "large.bin"):
        path.chmod(0o600)
    monkeypatch.setenv("LC_ALL", "C")
    return project


def keeps_attributes(path: Path) -> bool:
    try:
        os.setxattr(path, "user.kept", b"x")
    except OSError:
        return False
    return True


def state(user: Path) -> dict[str, tuple[object, object]]:
    """Of all the files of the user but the program."""
    folders = [user, user.parent / "away", user.parent / "home"]
    texts = {path: text for folder in folders for path, text in contents(folder).items()}
    others = {path: other for folder in folders for path, other in metadata(folder).items()}
    others.pop(str(user / "program.py"))
    return {path: (other, texts.get(path)) for path, other in others.items()}


def placed(user: Path, program: str, spare: str) -> str:
    return f"here, away = {str(user)!r}, {str(user.parent / 'away')!r}\n" + (
        f"home, spare = {str(user.parent / 'home')!r}, {spare}\n{program}"
    )


@pytest.mark.parametrize("name", ESCAPES)
def test_nothing_of_the_user_is_changed(name: str, user: Path) -> None:
    keeps_attributes(user / "log.csv")
    program = placed(user, ESCAPES[name], "__import__('tempfile').mkdtemp()")
    (user / "program.py").touch()
    before = state(user)
    done, _ = run_boxed(user, program, "kernel")
    assert not any(each in done.stderr for each in ("SyntaxError", "NameError")), done.stderr
    assert state(user) == before


@pytest.mark.parametrize("name", ESCAPES)
def test_without_a_sandbox_something_is(name: str, user: Path, tmp_path: Path) -> None:
    """Else the test above would test nothing."""
    if name.partition(": ")[2] in OF_ROOT and os.geteuid():
        pytest.skip("only root may do so")
    if not keeps_attributes(user / "log.csv") and OF_ATTRIBUTES in name:
        pytest.skip("the file system keeps no attributes")
    (tmp_path / "spare").mkdir()
    (user / "program.py").write_text(placed(user, ESCAPES[name], repr(str(tmp_path / "spare"))))
    before = state(user)
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=user, capture_output=True, text=True, timeout=60
    )
    assert state(user) != before, done.stderr


def test_rings_are_refused(user: Path) -> None:
    """What is written to one is no system call."""
    program = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
assert libc.syscall(425, 4, ctypes.create_string_buffer(120)) == -1
assert ctypes.get_errno() == 38, ctypes.get_errno()
"""
    done, _ = run_boxed(user, program, "kernel")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_stand_ins_have_their_own_metadata(user: Path) -> None:
    done, writes = run_boxed(user, OWN.replace("{away}", str(user.parent / "away")), "kernel")
    assert done.returncode == 0, done.stderr
    assert set(writes.written) >= {"copied", "run.sh"}
