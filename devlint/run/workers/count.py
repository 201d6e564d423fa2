"""How many processes check files beside each other."""

from __future__ import annotations

import os

#: A worker is worth its while from as many bytes on, which take about a second.
EACH = 200_000
#: There are no more unless more are asked for: each has the modules in memory that it looks into.
MOST = 8


def worthwhile(jobs: int | None, size: int) -> int:
    """How many workers there should be for as many bytes, where the user allows `jobs`."""
    return min(jobs or min(processors(), MOST), size // EACH)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
