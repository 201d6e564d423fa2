"""What tests of sandboxes share: a program that runs in one, and the files as they were before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from devlint.confirm.sandbox.sandbox import Sandbox, Writes

#: With `kernel` it refuses what Python does not see, with `libraries` those of torch are known.
_CHILD = """\
import runpy, sys
from devlint.confirm.sandbox import python_io
from devlint.confirm.sandbox.native_io import redirect_libraries
if "kernel" not in sys.argv:
    python_io.allow_writes_below_only = lambda folders: None
    python_io.hold_metadata = lambda: None
python_io.redirect()
if "libraries" in sys.argv:
    redirect_libraries()
sys.path.insert(0, "")
runpy.run_path(sys.argv[1], init_globals={"here": sys.argv[2], "away": sys.argv[3]})
"""


def run_boxed(
    project: Path, program: str, *ways: str
) -> tuple[subprocess.CompletedProcess[str], Writes]:
    """What became of a program that ran in a sandbox of the project."""
    (project / "program.py").write_text(program)
    with Sandbox.of(str(project)) as sandbox:
        path = sandbox.inside(str(project / "program.py"))
        arguments = [path, str(project), str(project.parent / "away"), *ways]
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, *arguments],
            cwd=sandbox.folder,
            env=sandbox.environment(),
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done, sandbox.writes()


def contents(folder: Path) -> dict[str, bytes | str]:
    """Every path below it, with the bytes of files and the targets of links."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path)] = os.readlink(path)
        else:
            found[str(path)] = path.read_bytes() if path.is_file() else "folder"
    return found


def metadata(folder: Path) -> dict[str, tuple[object, ...]]:
    """What else there is to a file; the time of its last change tells of all that is not named."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted([folder, *folder.rglob("*")]):
        is_link = path.is_symlink()
        status = path.lstat()
        attributes = () if is_link else tuple(os.listxattr(path))
        numbers = (status.st_mode, status.st_uid, status.st_gid, status.st_nlink)
        found[str(path)] = (*numbers, status.st_mtime_ns, status.st_ctime_ns, attributes)
    return found
