"""What users know a process by that their program started."""

from __future__ import annotations

import os
import shlex
import sys

_MOST = 60
#: How `multiprocessing` starts those of `spawn`.
_SPAWNED = "--multiprocessing-fork"


def process_name() -> str:
    """Its name in `multiprocessing`, else its command; and its rank, where a launcher gave one."""
    name = _of_multiprocessing() or command(sys.orig_argv[1:])
    rank = os.environ.get("RANK")
    return f"{name}, rank {rank}" if rank else name


def command(arguments: list[str]) -> str:
    """In a line of some words."""
    words = " ".join(shlex.join(arguments).split())
    return words if len(words) <= _MOST else f"{words[:_MOST]}.."


def _of_multiprocessing() -> str | None:
    processes = sys.modules.get("multiprocessing.process")
    name = processes.current_process().name if processes else "MainProcess"
    if name != "MainProcess":
        return str(name)
    return "a process of multiprocessing" if _SPAWNED in sys.orig_argv else None
