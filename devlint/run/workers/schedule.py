"""Which file is looked at next, when several are looked at beside each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import islice

#: As many files are looked at for one that none before it uses.
WINDOW = 200
#: Of the files behind one as many are known to be used by it: they are all that the window reaches,
#: unless hundreds are done before their turn.
NEAR = (1 << 1000) - 1


class Schedule:
    """Files in the order in which they count: each is to be looked at with what those before it
    have shown of it.

    A file is handed out before its turn if none before it that is still open uses it, directly or
    not; if there is no such file, the first one is, though it may have to be looked at again.
    `uses` are the files that each imports.
    """

    def __init__(self, order: Sequence[str], uses: Mapping[str, Sequence[str]]) -> None:
        self._order = order
        #: Whether they are handed out, by their numbers.
        self._open = dict.fromkeys(range(len(order)), False)
        self._reach = reach(order, uses)
        self._again = deque[str]()

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    @property
    def turn(self) -> str:
        """The first that is open."""
        return self._order[next(iter(self._open))]

    def next(self) -> str | None:
        """The one to hand out; None if all are."""
        if self._again:
            return self._again.popleft()
        first, blocked, start = None, 0, next(iter(self._open), 0)
        for number, is_out in islice(self._open.items(), WINDOW):
            if not is_out:
                first = number if first is None else first
                if not blocked >> number - start & 1:
                    first = number
                    break
            blocked |= self._reach[number] << number - start
        if first is None:
            return None
        self._open[first] = True
        return self._order[first]

    def close(self) -> None:
        """The one whose turn it is is done."""
        del self._open[next(iter(self._open))]

    def repeat(self) -> None:
        """The one whose turn it is has to be handed out again."""
        self._again.append(self.turn)


def reach(order: Sequence[str], uses: Mapping[str, Sequence[str]]) -> list[int]:
    """Those behind each file that it uses, directly or not, as bits: the first is the file itself,
    and never set. What a file before another uses is none of them: they use each other in a circle.
    """
    numbers = {path: number for number, path in enumerate(order)}
    found = [0] * len(order)
    for number in reversed(range(len(order))):
        for other in uses.get(order[number], ()):
            if (far := numbers.get(other, 0) - number) > 0:
                found[number] |= (found[number + far] | 1) << far
        found[number] &= NEAR
    return found
