"""States of a program: cells written in overlays, so that a branch costs what it writes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Generic, Protocol, TypeVar

#: As many tests on the way to a place are looked at: a function of thousands of early returns has
#: as many.
MANY = 200
#: After so many overlays that keep nothing of what is read through them, the next one does.
DEEP = 4


class Cell(Protocol):
    """What a state asks of the values in it; of one that derives from it, only how paths join."""

    def join(self: V, other: V, test: Hashable | None) -> V:
        """Either value; `self` is the one where `test` held, if a test told them apart."""

    def given(self: V, test: Hashable, truth: bool) -> V:
        """What is left of the value once `test` is known to be `truth`."""
        return self

    def is_missing(self, key: Hashable, test: Hashable, truth: bool) -> bool:
        """Whether what the cell at a key stands for is not there once `test` is known to be
        `truth`."""
        return False

    def depends(self) -> bool:
        """Whether the value has an arm for each truth of some test."""
        return False

    def tests(self) -> Iterator[Hashable]:
        """The tests that decide where the value is."""
        return iter(())

    def forgotten(self: V) -> V:
        """What may be anything."""
        return self

    def left(self: V, after: V) -> bool:
        """Whether what comes after it certainly is elsewhere."""
        return False


V = TypeVar("V", bound=Cell)

#: What `State.read` has of a cell that was not looked for, other than None: that was, and is not
#: there.
UNREAD: Any = object()


class State(Generic[V]):
    """An overlay of cells over a parent that is not written to while the overlay lives."""

    __slots__ = (
        "assumed",
        "below",
        "cells",
        "decided",
        "depth",
        "first",
        "keeps",
        "parent",
        "read",
    )

    def __init__(
        self,
        parent: State[V] | None = None,
        assumed: tuple[Hashable, bool] | None = None,
        decided: tuple[Hashable, bool] | None = None,
    ) -> None:
        self.cells: dict[Hashable, V] = {}
        self.parent = parent
        #: What values below are narrowed by.
        self.assumed: tuple[Hashable, bool] | None = assumed
        #: The next one down that says anything, or the last: many overlays stay empty.
        self.below: State[V] | None = parent
        if parent is not None and not parent.cells and parent.assumed is None:
            self.below = parent.below or parent
        #: The test that led here, whether it narrows anything or not.
        self.decided = decided
        #: What was read here, or in an overlay above, of the values below, as they are on this
        #: path: where that narrows them, or they lie deep.
        self.read: dict[Hashable, V | None] = {}
        #: What `put_first` and `amend` have put below everything, after it was not there.
        self.first: set[Hashable] = set() if parent is None else parent.first
        passed = 0 if self.below is None else self.below.depth + 1
        self.keeps = assumed is not None or passed >= DEEP
        #: How many overlays lie here that keep nothing, down to one that does.
        self.depth: int = 0 if self.keeps else passed

    def get(self, key: Hashable) -> V | None:
        value = self.cells.get(key)
        if value is not None:
            return value
        passed: list[State[V]] = []
        state: State[V] | None = self
        while state is not None:
            value = state.cells.get(key)
            if value is None and state.keeps:
                value = state.read.get(key, UNREAD)
                if value is UNREAD or (value is None and key in state.first):
                    passed.append(state)
                    value = None
                elif value is None:
                    break
            if value is not None:
                return value if not passed else kept(key, value, passed)
            state = state.below
        for state in passed:
            state.read[key] = None
        return None

    def put(self, key: Hashable, value: V) -> None:
        self.cells[key] = value

    def put_first(self, key: Hashable, value: V) -> None:
        """What a cell was all along, for one that a branch writes first: it is older than that."""
        self.put_below({key: value})

    def put_below(self, cells: Mapping[Hashable, V]) -> None:
        """What several cells were all along, or are from here on."""
        state = self
        while state.parent is not None:
            state = state.parent
        state.cells.update(cells)
        self.first.update(cells)

    def amend(self, key: Hashable, change: Callable[[V], V], missing: V) -> None:
        """Know more of what a cell has been all along, in this state and in those below it."""
        state = self
        is_there = False
        while True:
            state.read.pop(key, None)
            if key in state.cells:
                state.cells[key] = change(state.cells[key])
                is_there = True
            if state.parent is None:
                break
            state = state.parent
        if not is_there:
            state.cells[key] = change(missing)
            self.first.add(key)

    def fork(
        self, test: Hashable | None = None, truth: bool = True, *, narrows: bool = True
    ) -> State[V]:
        decided = None if test is None else (test, truth)
        return State(self, decided if narrows else None, decided)

    def decisions(self, since: Hashable = None) -> Iterator[tuple[Hashable, bool]]:
        """The tests on the way that leads here, latest first, and how they came out: the last of
        them, where there are very many; those since a cell was written, if one is named."""
        return islice(self._decisions(since), MANY)

    def _decisions(self, since: Hashable) -> Iterator[tuple[Hashable, bool]]:
        state: State[V] | None = self
        while state is not None and (since is None or since not in state.cells):
            if state.decided is not None:
                yield state.decided
            state = state.parent

    def above(self, ancestor: State[V]) -> Iterator[State[V]]:
        """This overlay and those below it, down to an ancestor, which is none of them."""
        state = self
        while state is not ancestor:
            yield state
            assert state.parent is not None
            state = state.parent

    def writes(self, key: Hashable, ancestor: State[V]) -> bool:
        """Whether a cell was written on the way that leads here from an ancestor."""
        return any(key in each.cells for each in self.above(ancestor))

    def assumed_since(self, ancestor: State[V]) -> Iterator[tuple[Hashable, bool]]:
        """What has been assumed on the way that leads here from an ancestor, latest first."""
        yield from (e.assumed for e in self.above(ancestor) if e.assumed is not None)

    def decision(self, test: Hashable, since: Hashable = None) -> tuple[Hashable, bool] | None:
        """The same test on the way that leads here, if it was made there, and how it came out."""
        return next((each for each in self.decisions(since) if each[0] == test), None)

    def descends_from(self, ancestor: State[V]) -> bool:
        state: State[V] | None = self
        while state is not None and state is not ancestor:
            state = state.parent
        return state is ancestor

    def since(self, ancestor: State[V]) -> tuple[dict[Hashable, V], list[tuple[Hashable, bool]]]:
        """The cells written since an ancestor, and what has been assumed since, latest first."""
        written: dict[Hashable, V] = {}
        assumptions: list[tuple[Hashable, bool]] = []
        state = self
        while state is not ancestor:
            if not written and not assumptions:
                written.update(state.cells)
            else:
                for key, value in state.cells.items():
                    if key not in written:
                        written[key] = narrowed(value, assumptions) if assumptions else value
            if state.assumed is not None:
                assumptions.append(state.assumed)
            assert state.parent is not None, "states are joined at an ancestor of all of them"
            state = state.parent
        return written, assumptions

    def absorb(
        self,
        ends: Iterable[State[V]],
        *,
        since: State[V],
        test: Hashable | None = None,
        local: object = None,
    ) -> dict[Hashable, V | None]:
        """Write here what all `ends` agree on, but for cells with keys that begin with `local`;
        what the cells held before that it writes.

        The ends descend from `since`, which is this state or one below which it hangs.
        A cell that only some of them bind is taken from those, and so is what others lack.
        """
        sides = [end.since(since) for end in ends]
        told_apart_by = test if len(sides) == 2 else None
        overwritten: dict[Hashable, V | None] = {}
        for key in dict.fromkeys(chain.from_iterable(written for written, _ in sides)):
            if local is not None and is_of(key, local):
                continue
            before = self.get(key)
            after = None
            for written, assumptions in sides:
                value = written.get(key)
                if value is None and before is not None and not missing(key, before, assumptions):
                    value = narrowed(before, assumptions) if assumptions else before
                if after is None:
                    after = value
                elif value is not None and value is not after:
                    after = after.join(value, told_apart_by)
            if after is not None and after is not before:
                self.cells[key] = after
                overwritten[key] = before
        return overwritten


def is_of(key: Hashable, owner: object) -> bool:
    """Whether a key begins with what owns the cell."""
    return isinstance(key, tuple) and key[0] is owner


def kept(key: Hashable, value: V, passed: list[State[V]]) -> V:
    """A value that was read through overlays, innermost first, as each of them keeps it."""
    for state in reversed(passed):
        if state.assumed is not None:
            value = value.given(*state.assumed)
        state.read[key] = value
    return value


def missing(key: Hashable, value: Cell, assumptions: list[tuple[Hashable, bool]]) -> bool:
    return any(value.is_missing(key, test, truth) for test, truth in assumptions)


def narrowed(value: V, assumptions: list[tuple[Hashable, bool]]) -> V:
    """A value by what has been assumed since it was written, latest first."""
    for test, truth in reversed(assumptions):
        value = value.given(test, truth)
    return value
