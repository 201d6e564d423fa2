"""How far a long run has got, on a terminal."""

from __future__ import annotations

import os
import sys
from time import monotonic
from types import TracebackType

#: Seconds before anything is shown, and between two times.
PATIENCE = 2.0
PAUSE = 0.1
WIDTH = 30
#: Empties the rest of a line of a terminal.
CLEAR = "\x1b[K"


class Progress:
    """A bar on stderr that is gone when the run is over; none where nobody looks."""

    def __init__(self, noun: str = "files") -> None:
        self.noun = noun
        self.next = monotonic() + PATIENCE
        self.is_watched = is_terminal()
        self.is_shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.is_shown:
            self._write(f"\r{CLEAR}")

    def show(self, done: int, total: int) -> None:
        if not self.is_watched or monotonic() < self.next:
            return
        self.next = monotonic() + PAUSE
        self.is_shown = True
        columns = os.get_terminal_size(2).columns or 80
        self._write(f"\r{line(done, total, columns, self.noun)}{CLEAR}")

    def say(self, text: str) -> str:
        """What is done now, at once; what takes it back, where another process has to."""
        if not self.is_watched:
            return ""
        self.is_shown = True
        self._write(f"\r{text}..{CLEAR}")
        return f"\r{CLEAR}"

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def is_terminal() -> bool:
    """Whether stderr is a terminal that can take a line back."""
    return (
        sys.stderr is not None
        and sys.stderr.isatty()
        and sys.stderr.fileno() == 2
        and os.environ.get("TERM") != "dumb"
    )


def line(done: int, total: int, columns: int, noun: str = "files") -> str:
    """The bar, where it fits; what does not fit in one line could not be taken back."""
    full = WIDTH * done // total
    count = f"{done} of {total} {noun}"
    whole = f"[{'#' * full}{'.' * (WIDTH - full)}] {count}"
    return whole if len(whole) < columns else count[: max(columns - 1, 0)]
