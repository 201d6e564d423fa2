"""Loops: rounds until what they start with is stable."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from devlint.flow.meaning import Meaning
from devlint.flow.state import Cell, State
from devlint.lower import ir

V = TypeVar("V", bound=Cell)

#: Rounds of a loop before what still changes is widened.
ROUNDS = 4


@dataclass(slots=True)
class Loop(Generic[V]):
    node: ir.For | ir.While
    entry: State[V]
    #: How many `finally` blocks lie around it.
    finals: int
    breaks: list[State[V]] = field(default_factory=list)
    continues: list[State[V]] = field(default_factory=list)
    #: What earlier rounds have changed.
    changed: set[Hashable] = field(default_factory=set)
    #: Whether its first round runs, or the others do, where these are told apart.
    is_first: bool | None = None


class Loops(Meaning[V]):
    """Runs the bodies of loops over `state`, which is None where no path leads."""

    def __init__(self) -> None:
        self.state: State[V] | None = State()
        self.loops: list[Loop[V]] = []
        self.finals: list[ir.Block] = []
        #: The tests that values have been told apart by.
        self.splits: set[Hashable] = set()
        #: By a test, the cells that are only there where it came out as that.
        self.partial: dict[Hashable, dict[Hashable, bool]] = {}

    @abstractmethod
    def run(self, block: ir.Block) -> None: ...

    def here(self) -> State[V]:
        """The present state, where a path leads here."""
        assert self.state is not None
        return self.state

    def _for(self, node: ir.For) -> None:
        self.begin_loop(node)
        rounds = self.rounds(node)
        if rounds is not None:
            self._unrolled(node, rounds)
        elif self.asks_for_first_round(node):
            self._peeled(node)
        else:
            self._loop(node, lambda: self.next_item(node), is_endless=False)

    def _peeled(self, node: ir.For) -> None:
        """Run the first round by itself, then the others."""
        entry = self.here()
        first: Loop[V] = Loop(node, entry, len(self.finals), is_first=True)
        self.loops.append(first)
        ends = self._round(entry, first, lambda: self.next_item(node))
        self.loops.pop()
        breaks, self.state = list(first.breaks), None
        if ends:
            self.state = entry.fork()
            self.state.absorb(ends, since=entry)
            self._loop(node, lambda: self.next_item(node), is_endless=False, is_first=False)
        exits = breaks + ([] if self.state is None else [self.state])
        if breaks:
            self.state = entry.fork()
            self.state.absorb(exits, since=entry)

    def _unrolled(self, node: ir.For, rounds: Sequence[Callable[[], object]]) -> None:
        """Run the body once for each of the items, which are known."""
        entry = self.here()
        loop: Loop[V] = Loop(node, entry, len(self.finals))
        self.loops.append(loop)
        breaks: list[State[V]] = []
        for begin in rounds:
            if self.state is not None:
                head = self.here()
                ends = self._round(head, loop, begin)
                breaks += loop.breaks
                self.state = None
                if ends:
                    self.state = head.fork()
                    self.state.absorb(ends, since=head)
        self.loops.pop()
        loop.breaks = breaks
        ends = [] if self.state is None else [self.state]
        self._leave_loop(entry, ends, loop, node.orelse, is_endless=False)

    def _while(self, node: ir.While) -> None:
        truth = self.condition(node.test)
        if truth is False:
            self.run(node.orelse)
        else:
            self._loop(node, lambda: self.condition(node.test), is_endless=truth is True)

    def _loop(
        self,
        node: ir.For | ir.While,
        begin: Callable[[], object],
        *,
        is_endless: bool,
        is_first: bool | None = None,
    ) -> None:
        """Run the body until what it starts with is stable, then go on after a last round.

        A loop is taken to run at least once: what it moves is moved after it.
        """
        entry = self.here()
        loop: Loop[V] = Loop(node, entry, len(self.finals), is_first=is_first)
        self.loops.append(loop)
        head = entry.fork()
        for number in range(ROUNDS):
            ends = self._round(head, loop, begin)
            stable, head = head, head.fork()
            overwritten = head.absorb([stable.fork(), *ends], since=stable).items()
            changed = {key for key, before in overwritten if head.cells[key] != before}
            loop.changed |= changed
            if not changed:
                break
            if number == 0:
                for start in list(self._moved_on(stable, ends, loop)):
                    self._round(start, loop, begin)
        self.loops.pop()
        ends = ends or ([] if loop.breaks else [entry.fork()])
        self._leave_loop(entry, ends, loop, node.orelse, is_endless=is_endless)
        if self.state is not None:
            for key in changed:
                if (value := self.state.get(key)) is not None:
                    self.state.put(key, self.widened(value))

    def _moved_on(self, entry: State[V], ends: list[State[V]], loop: Loop[V]) -> Iterator[State[V]]:
        """What a second round starts with where the first one leaves something elsewhere than it
        was: joined with the start it would be neither. So with the truths of the tests on which
        that depends."""
        last = entry.fork()
        last.absorb(ends, since=entry)
        held = [(key, was) for key in loop.changed if (was := entry.get(key)) is not None]
        ends_with = [now for key, _ in held if (now := last.get(key)) is not None]
        tests = dict.fromkeys(test for now in ends_with for test in now.tests())
        starts = [last, *(self._under(last, t, truth) for t in tests for truth in (True, False))]
        starts += ends if len(ends) > 1 else []
        for start in starts:
            if any(was.left(now) for key, was in held if (now := start.get(key))):
                yield start

    def _under(self, state: State[V], test: Hashable, truth: bool) -> State[V]:
        """A state where a test came out as `truth`, without what is there otherwise alone."""
        start = state.fork(test, truth)
        for key, needed in self.partial.get(test, {}).items():
            value = start.get(key)
            if needed is not truth and value is not None:
                start.put(key, value.forgotten())
        return start

    def _round(self, head: State[V], loop: Loop[V], begin: Callable[[], object]) -> list[State[V]]:
        loop.breaks.clear()
        loop.continues.clear()
        self.state = head.fork()
        begin()
        self.renew(loop.node, loop.changed, loop.entry)
        self.run(loop.node.body)
        return loop.continues + ([] if self.state is None else [self.state])

    def _leave_loop(
        self,
        entry: State[V],
        ends: list[State[V]],
        loop: Loop[V],
        orelse: ir.Block,
        *,
        is_endless: bool,
    ) -> None:
        self.state = None
        if ends and not is_endless:
            self.state = entry.fork()
            self.state.absorb(ends, since=entry)
            self.run(orelse)
        exits = loop.breaks + ([] if self.state is None else [self.state])
        self.state = None
        if exits:
            self.state = entry.fork()
            self.state.absorb(exits, since=entry)
