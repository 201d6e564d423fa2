"""Structured control flow: which states reach which statement."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from devlint.flow.loops import Loops
from devlint.flow.state import Cell, State
from devlint.lower import ir

V = TypeVar("V", bound=Cell)


class Execution(Loops[V]):
    """Runs blocks over `state`, which is None where no path leads.

    A subclass says what simple statements, tests and bindings mean.
    """

    def __init__(self) -> None:
        super().__init__()
        #: How many statements have been run.
        self.statements = 0
        #: States set aside by return, break and continue: what they see is kept.
        self.departed: list[State[V]] = []

    @property
    def departures(self) -> int:
        return len(self.departed)

    def run(self, block: ir.Block) -> None:
        for statement in block:
            if self.state is None:
                return
            self.statements += 1
            handler = FLOW.get(statement.__class__)
            if handler is None:
                self.simple(statement)
            else:
                handler(self, statement)

    def _branch(
        self, before: State[V], block: ir.Block, test: Hashable | None = None, truth: bool = True
    ) -> State[V] | None:
        self.state = self.assuming(before, test, truth)
        self.run(block)
        return self.state

    def assuming(self, before: State[V], test: Hashable | None, truth: bool = True) -> State[V]:
        """A branch of `before`; values need not be narrowed by what tells none apart."""
        return before.fork(test, truth, narrows=self.matters(test))

    def meet(
        self,
        before: State[V],
        ends: Sequence[State[V] | None],
        departures: int,
        test: Hashable | None = None,
    ) -> None:
        """Go on from `before` with what reached the end of its branches.

        States set aside since `departures` was read hang below `before`: it is then left alone.
        """
        alive = [end for end in ends if end is not None]
        if len(alive) < 2:
            self.state = alive[0] if alive else None
            return
        joined = before if departures == self.departures else before.fork()
        self.join(joined, alive, before, test)
        self.state = joined

    def join(
        self, joined: State[V], ends: Sequence[State[V]], since: State[V], test: Hashable | None
    ) -> None:
        """Write to a state what all `ends` agree on, and note whether `test` tells values apart,
        and what is only there on one side of it."""
        overwritten = joined.absorb(ends, since=since, test=test).items()
        if test is None:
            return
        if test not in self.splits and any(
            is_split(joined.cells[key], was) for key, was in overwritten
        ):
            self.splits.add(test)
        for key in [key for key, was in overwritten if was is None]:
            first, *others = (end.writes(key, since) for end in ends)
            if others == [not first]:
                self.partial.setdefault(test, {})[key] = first

    def _if(self, node: ir.If) -> None:
        test = self.condition(node.test)
        if isinstance(test, bool):
            self.run(node.body if test else node.orelse)
            return
        before, departures = self.here(), self.departures
        then = self._branch(before, node.body, test)
        orelse = self._branch(before, node.orelse, test, truth=False)
        self.meet(before, [then, orelse], departures, test)

    def _try(self, node: ir.Try) -> None:
        before, departures = self.here(), self.departures
        self.finals.append(node.final)
        leave = self.protect(node)
        body = self._branch(before, node.body)
        leave()
        interrupted = before.fork()
        interrupted.absorb([before.fork(), *([body] if body else [])], since=before)
        handled = [self._handle(interrupted, handler) for handler in node.handlers]
        if body is not None:
            self.state = body
            self.run(node.orelse)
            body = self.state
        self.finals.pop()
        ends = [each for each in (body, *handled) if each is not None]
        self.meet(before, ends, departures, self.completion(node) if len(ends) == 2 else None)
        if self.state is not None:
            self.run(node.final)
        elif departures == self.departures:
            # Only an exception leaves: nothing goes on behind what comes last.
            self.state = interrupted.fork()
            self.run(node.final)
            self.state = None

    def _handle(self, interrupted: State[V], handler: ir.Handler) -> State[V] | None:
        self.state = interrupted.fork()
        self.catch(handler)
        self.run(handler.body)
        return self.state

    def _with(self, node: ir.With) -> None:
        leave = self.enter(node)
        self.run(node.body)
        leave()

    def _match(self, node: ir.Match) -> None:
        """As `if`, `elif` and `else`, each below the one before."""
        self.begin_match(node)
        met = []
        for case in node.cases:
            if self.state is None:
                break
            before, departures = self.here(), self.departures
            test, end = self._case(node, case)
            met.append((before, end, departures, test))
        for before, end, departures, test in reversed(met):
            self.meet(before, [end, self.state], departures, test)

    def _case(self, node: ir.Match, case: ir.Case) -> tuple[Hashable | None, State[V] | None]:
        """Run a case; leave the state that the next begins with. Give the test that alone decides
        between them, if there is one, and the end of this one."""
        before, pattern = self.here(), self._selects(case)
        if pattern is False:
            return None, None
        test = None if pattern is True else pattern
        self.state = self.assuming(before, test)
        self.capture(node, case)
        guard = None if case.guard is None else self.condition(case.guard)
        if guard is False:
            self.state = before
            return None, None
        if guard is not None and guard is not True:
            self.state = self.assuming(self.here(), guard)
            test = guard if pattern is True else None
            pattern = None
        self.run(case.body)
        end = self.state
        self.state = None if pattern is True else self.assuming(before, test, truth=False)
        return test, end

    def _selects(self, case: ir.Case) -> Hashable | bool | None:
        """The truth of what a pattern asks, or its key; None where that is more than a test."""
        if case.is_irrefutable:
            return True
        return None if case.test is None else self.asked(case.test)

    def _return(self, node: ir.Return) -> None:
        record = self.give_back(node)
        self._unwind(0)
        if self.state is not None:
            record()
            self._depart()

    def _assert(self, node: ir.Assert) -> None:
        test = self.condition(node.test)
        if test is False:
            self.state = None
        elif not isinstance(test, bool):
            self.state = self.assuming(self.here(), test)

    def _raise(self, node: ir.Raise) -> None:
        self.simple(node)
        self.state = None

    def _break(self, node: ir.Break) -> None:
        if not self.loops:  # Python's parser accepts what its compiler refuses.
            self.state = None
            return
        self._unwind(self.loops[-1].finals)
        if self.state is not None:
            self.loops[-1].breaks.append(self.state)
            self._depart()

    def _continue(self, node: ir.Continue) -> None:
        if not self.loops:
            self.state = None
            return
        self._unwind(self.loops[-1].finals)
        if self.state is not None:
            self.loops[-1].continues.append(self.state)
            self._depart()

    def _unwind(self, outer: int) -> None:
        """Run the `finally` blocks that a departure leaves, all but the `outer` first ones."""
        finals = self.finals
        for index in range(len(finals) - 1, outer - 1, -1):
            if self.state is not None:
                self.finals = finals[:index]
                self.run(finals[index])
        self.finals = finals

    def _depart(self) -> None:
        self.departed.append(self.here())
        self.state = None


def is_split(value: Cell, before: Cell | None) -> bool:
    """Whether a value has come to depend on a test where branches met."""
    return value.depends() and value != before


FLOW: dict[type, Callable[[Any, Any], None]] = {
    ir.If: Execution._if,
    ir.For: Execution._for,
    ir.While: Execution._while,
    ir.Try: Execution._try,
    ir.With: Execution._with,
    ir.Match: Execution._match,
    ir.Return: Execution._return,
    ir.Assert: Execution._assert,
    ir.Raise: Execution._raise,
    ir.Break: Execution._break,
    ir.Continue: Execution._continue,
}
