"""Signals: heard for a while, and in words."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], None]


@contextmanager
def heard(names: Iterable[str], handler: Handler) -> Iterator[None]:
    """Those signals that there are here, but not what is ignored: `nohup` and `&` mean it so.

    Only the main thread can hear signals; for others nothing changes.
    """
    is_main = threading.current_thread() is threading.main_thread()
    numbers = [getattr(signal, name) for name in names if is_main and hasattr(signal, name)]
    wanted = [each for each in numbers if signal.getsignal(each) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in wanted}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def in_words(code: int) -> str:
    """How a process ended whose exit code, as `subprocess` has it, is negative."""
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:  # Those of real time have no names.
        return f"ended by signal {-code}"


def leave(number: int, frame: FrameType | None) -> None:
    """Ends as the signal would have, but by way of what is to be done at the end."""
    raise SystemExit(128 + number)
