"""The steps of a run, by which its origins are put in order."""

from __future__ import annotations

import threading


class _Steps(threading.local):
    """Each thread has a run of its own."""

    taken = 0


_STEPS = _Steps()


def begin() -> None:
    """A run starts."""
    _STEPS.taken = 0


def step() -> int:
    """The number of the next step."""
    _STEPS.taken += 1
    return _STEPS.taken
