"""States of a program: cells written in overlays, so that a branch costs what it writes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, Protocol, TypeVar


class Cell(Protocol):
    """What a state asks of the values in it."""

    def join(self: V, other: V, test: Hashable | None) -> V:
        """Either value; `self` is the one where `test` held, if a test told them apart."""

    def given(self: V, test: Hashable, truth: bool) -> V:
        """What is left of the value once `test` is known to be `truth`."""


V = TypeVar("V", bound=Cell)


class State(Generic[V]):
    """An overlay of cells over a parent that is not written to while the overlay lives."""

    __slots__ = ("assumed", "cells", "parent")

    def __init__(
        self, parent: State[V] | None = None, assumed: tuple[Hashable, bool] | None = None
    ) -> None:
        self.cells: dict[Hashable, V] = {}
        self.parent = parent
        self.assumed = assumed

    def get(self, key: Hashable) -> V | None:
        state: State[V] | None = self
        assumptions: list[tuple[Hashable, bool]] = []
        while state is not None:
            value = state.cells.get(key)
            if value is not None:
                for test, truth in reversed(assumptions):
                    value = value.given(test, truth)
                return value
            if state.assumed is not None:
                assumptions.append(state.assumed)
            state = state.parent
        return None

    def put(self, key: Hashable, value: V) -> None:
        self.cells[key] = value

    def fork(self, test: Hashable | None = None, truth: bool = True) -> State[V]:
        return State(self, None if test is None else (test, truth))

    def assumptions(self) -> Iterator[tuple[Hashable, bool]]:
        state: State[V] | None = self
        while state is not None:
            if state.assumed is not None:
                yield state.assumed
            state = state.parent

    def written_since(self, ancestor: State[V]) -> set[Hashable]:
        keys: set[Hashable] = set()
        state = self
        while state is not ancestor:
            keys.update(state.cells)
            assert state.parent is not None, "states are joined at an ancestor of all of them"
            state = state.parent
        return keys

    def absorb(
        self, ends: Iterable[State[V]], *, since: State[V], test: Hashable | None = None
    ) -> set[Hashable]:
        """Write here what all `ends` agree on; the keys that changed.

        The ends descend from `since`, which is this state or one below which it hangs.
        A cell that only some of them bind is taken from those.
        """
        ends = list(ends)
        written: set[Hashable] = set()
        changed: set[Hashable] = set()
        for end in ends:
            written |= end.written_since(since)
        for key in written:
            before = self.get(key)
            bound = [value for end in ends if (value := end.get(key)) is not None]
            after = bound[0]
            for value in bound[1:]:
                after = after.join(value, test if len(ends) == len(bound) == 2 else None)
            if after != before:
                changed.add(key)
            self.cells[key] = after
        return changed
