"""An end to what takes far too long, by the time that the processor has spent on it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Seconds of one program's analysis; those of real files take a few at the most.
LIMIT = 120.0


class OutOfTimeError(BaseException):
    """Raised wherever the program is: nothing that goes on after errors catches it."""


@contextmanager
def limited() -> Iterator[None]:
    """Raise `OutOfTimeError` once the limit is reached.

    Only the main thread can be ended so, and not on every system.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, expire)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def expire(number: int, frame: FrameType | None) -> None:
    raise OutOfTimeError
