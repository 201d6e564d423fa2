"""Ends what runs in a sandbox and removes it, if the process that made it is gone.

A process of its own, which waits for the end of its standard input. It starts in a moment, for it
knows nothing of devlint.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: How often what runs is looked for: a process that is about to start another is gone afterwards.
_ROUNDS = 50
_BLINK = 0.02
_DONE = b"done"


@contextmanager
def guarded(root: str) -> Iterator[None]:
    """Until the end of the block, by which time the folder has been removed."""
    if not os.path.isdir("/proc/self/fd"):  # Elsewhere nobody tells where a process runs.
        yield
        return
    command = [sys.executable, "-I", "-S", os.path.abspath(__file__), root]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as guardian:
        yield
        with suppress(BrokenPipeError):  # It has been killed.
            guardian.communicate(_DONE)


def remove(root: str) -> None:
    """Also what the program has closed."""
    shutil.rmtree(root, ignore_errors=True)
    _open_folders(root)
    shutil.rmtree(root, ignore_errors=True)


def _open_folders(root: str) -> None:
    """Those that are left, so that they can be removed; none that a link leads to."""
    for parent, names, _ in os.walk(root):
        for folder in (os.path.join(parent, name) for name in names):
            if not os.path.islink(folder):
                os.chmod(folder, 0o700)


def _main(root: str) -> None:
    os.chdir("/")
    if sys.stdin.buffer.read() == _DONE:
        return
    for _ in range(_ROUNDS):
        running = [*_running(root)]
        if not running:
            break
        for process in running:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_BLINK)
    remove(root)


def _running(root: str) -> Iterator[int]:
    """The processes that were started for the sandbox, and those that are in it."""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid() and _is_in(f"/proc/{name}", root):
            yield int(name)


def _is_in(process: str, root: str) -> bool:
    with suppress(OSError):
        if f"{os.readlink(f'{process}/cwd')}/".startswith(f"{root}/"):
            return True
        with open(f"{process}/environ", "rb") as file:
            return f'"root": {json.dumps(root)}'.encode() in file.read()
    return False


if __name__ == "__main__":
    _main(sys.argv[1])
