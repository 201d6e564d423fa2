"""Which file is looked at next, when several are looked at beside each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import islice

#: As many files are looked at for one that none before it uses.
WINDOW = 200


class Schedule:
    """Files, by their numbers in the order in which they count: each is to be looked at with what
    those before it have shown of it.

    A file is handed out before its turn if none before it that is still open uses it, directly or
    not; if there is no such file, the first one is, though it may have to be looked at again.
    `uses` are the files that each imports.
    """

    def __init__(self, order: Sequence[str], uses: Mapping[str, Sequence[str]]) -> None:
        self._open = dict.fromkeys(range(len(order)), False)
        self._reach = reach(order, uses)
        self._again = deque[int]()

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    @property
    def turn(self) -> int:
        """The first that is open."""
        return next(iter(self._open))

    def next(self) -> int | None:
        """The one to hand out; None if all are."""
        if self._again:
            return self._again.popleft()
        first, blocked = None, 0
        for number, is_out in islice(self._open.items(), WINDOW):
            if not is_out:
                first = number if first is None else first
                if not blocked >> number & 1:
                    first = number
                    break
            blocked |= self._reach[number]
        if first is not None:
            self._open[first] = True
        return first

    def close(self) -> None:
        """The one whose turn it is is done."""
        del self._open[self.turn]

    def repeat(self) -> None:
        """The one whose turn it is has to be handed out again."""
        self._again.append(self.turn)


def reach(order: Sequence[str], uses: Mapping[str, Sequence[str]]) -> list[int]:
    """The numbers of those that each file uses, directly or not, as bits; circles count up to where
    they close."""
    numbers = {path: number for number, path in enumerate(order)}
    found = [0] * len(order)
    for number in reversed(range(len(order))):
        for other in uses.get(order[number], ()):
            if (used := numbers.get(other)) is not None:
                found[number] |= found[used] | 1 << used
    return found
