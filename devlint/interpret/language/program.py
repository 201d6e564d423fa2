"""A program, interpreted: from its IR to its device events."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from devlint.event import Event, Exhausted
from devlint.flow.state import State
from devlint.interpret.calls import dispatch, special_methods
from devlint.interpret.calls.assignment import assign
from devlint.interpret.calls.inlining import invoke
from devlint.interpret.conditions import branch_conditions
from devlint.interpret.core.call import NO_ARGUMENTS, Arguments
from devlint.interpret.core.containers import element
from devlint.interpret.core.definitions import decorator_name
from devlint.interpret.core.heap import DEFAULT, Lattice
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import Libraries
from devlint.interpret.core.scopes import Frame, Function
from devlint.interpret.core.signals import Ended, Iterated, Looping, Returned
from devlint.interpret.core.views import View
from devlint.interpret.language import contexts, entry_points, rounds
from devlint.interpret.language.expressions import EVALUATORS
from devlint.interpret.language.frame_stack import roomy
from devlint.interpret.language.statements import EXECUTORS, told
from devlint.interpret.objects import imported_modules, inferred_batches, saved_files
from devlint.interpret.objects.imported_words import view_of
from devlint.interpret.tensors import factories, repeatable_moves
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.project.project import Place, Used
from devlint.queries.loop_context import asks_for_first_round
from devlint.queries.name_conventions import is_name
from devlint.queries.placements import is_default_set
from devlint.rule.analysis import Analysis, Failure, Report
from devlint.values import steps
from devlint.values.condition import SILENT, Condition
from devlint.values.device import Device
from devlint.values.origin import Origin
from devlint.values.value import NONE, NOTHING, Value

#: Words of programs that choose their device at run time.
CHOICES = frozenset("is_available device_count current_accelerator device map_location".split())
#: What is raised where there is nothing more, or nothing there.
DATA_ERRORS = frozenset({"StopIteration", "StopAsyncIteration", "KeyError", "IndexError"})
#: Context managers of tests that expect, or swallow, what is raised in them.
EXPECTATIONS = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress"})


def events(
    module: ir.Module,
    libraries: Libraries[Run],
    analyses: Iterable[type[Analysis[Any]]] = (),
    place: Place | None = None,
) -> Iterator[Event | Report | Failure | Used]:
    """The device events of a program in the order in which it comes to them, what `analyses` report
    of it, and the modules of its project that it uses."""
    steps.begin()
    view = view_of(module, libraries, place)
    interpreter = Interpreter(view, libraries)
    imported_modules.begin(interpreter)
    interpreter.listen((*libraries.analyses, *analyses))
    interpreter.interpret()
    interpreter.dismiss()
    yield from interpreter.events
    yield from interpreter.found
    yield from imported_modules.used(interpreter)


class Interpreter(Run):
    """Says what tests, loops, contexts, returns and handlers mean to devices."""

    evaluators = EVALUATORS
    executors = EXECUTORS

    @roomy
    def interpret(self) -> None:
        if self.home.place is not None and is_default_set(self.home.place):
            factories.leave_default_open(self)
        self.run(self.module.body)
        if self.state is not None:
            self.top.ends.append((self.state, NOTHING))
        self.finish(self.top)
        self.top.ends.clear()
        chooses = self.notes.chooses_device or not CHOICES.isdisjoint(self.module.words)
        self.emit(saved_files.checkpoints(self, chooses_device=chooses))
        self.publish(Ended())
        self.emit(Exhausted(self.exhausted))

    def invoke(
        self, function: Function, receiver: Value | None = None, arguments: Arguments = NO_ARGUMENTS
    ) -> Value:
        return invoke(self, function, arguments, function.node, receiver)

    def apply(self, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
        return dispatch.apply(self, node, callee, arguments)

    def compute(self, node: ir.Call, receiver: Value, arguments: Arguments) -> Value:
        return dispatch.computed(self, node, receiver, arguments)

    def is_repeatable(self, move: Origin, device: Device) -> bool:
        return repeatable_moves.is_repeatable(self, move, device)

    def finish(self, frame: Frame) -> None:
        entry_points.finish(self, frame)

    def beside(self, view: View) -> Run:
        other = Interpreter(view, self.libraries)
        other.is_imported, other.asking = True, frozenset()
        other.links, other.views, other.circular = self.links, self.views, self.circular
        other.objects, other.splits = self.objects, self.splits
        other.sought = self.sought
        other.listen(self.libraries.analyses)
        return other

    def condition(self, test: ir.Expression) -> bool | Condition:
        return branch_conditions.truth(self, test)

    def matters(self, test: Hashable | None) -> bool:
        return isinstance(test, Condition) and (
            test.senses != SILENT or test.subject is not None or test in self.splits
        )

    def renew(self, loop: ir.For | ir.While, changed: set[Hashable], entry: State[Lattice]) -> None:
        for ref in list(rounds.of_one_round(self, loop, changed)):
            first = self.instance_at(entry, ref)
            if first.left(self.instance(ref)):
                self.here().put(ref, first)

    def begin_loop(self, loop: ir.For) -> None:
        whole = special_methods.iterated(self, self.evaluate(loop.iter), loop.iter)
        self.here().put(loop, whole)
        self.publish(Looping(loop))

    def next_item(self, loop: ir.For) -> None:
        iterated = self.here().get(loop)
        assert isinstance(iterated, Value)
        item = element(self, iterated, loop.target)
        item = self.revise(Iterated(inferred_batches.taken(self, loop, iterated, item), loop))
        assign(self, loop.target, item)

    def rounds(self, loop: ir.For) -> Sequence[Callable[[], object]] | None:
        items = rounds.told_apart(self, loop)
        return None if items is None else [partial(self.take, loop, each) for each in items]

    def asks_for_first_round(self, loop: ir.For) -> bool:
        return self.once(asks_for_first_round, loop)

    def take(self, loop: ir.For, item: Value) -> None:
        assign(self, loop.target, self.revise(Iterated(item, loop)))

    def enter(self, block: ir.With) -> Callable[[], None]:
        before, departures = self.here().get(DEFAULT), self.departures
        expects_error = any(decorator_name(c) in EXPECTATIONS for c, _ in block.items)
        stop = self.tolerate() if expects_error else None
        managers = []
        for context, target in block.items:
            managers.append((context, self.evaluate(context)))
            value = contexts.entered(self, *managers[-1])
            if target is not None:
                assign(self, target, value)

        def leave() -> None:
            if stop is not None:
                stop()
            for context, manager in reversed(managers) if self.state is not None else ():
                contexts.left(self, context, manager)
            self.restore(before, departures)

        return leave

    def restore(self, before: object, departures: int) -> None:
        """Restore the default device on every way out."""
        default = before if isinstance(before, Value) else NONE
        for state in [*self.departed[departures:], *([self.state] if self.state else [])]:
            if state.get(DEFAULT) not in (None, default):
                state.put(DEFAULT, default)

    def protect(self, block: ir.Try) -> Callable[[], None]:
        caught = exceptions(block)
        is_short = len(block.body) <= 2
        expected = {"RuntimeError", "TypeError", *(("Exception", "") if is_short else ())}
        return self.tolerate() if not expected.isdisjoint(caught) else lambda: None

    def tolerate(self) -> Callable[[], None]:
        """Leave out operations that fail until the returned function is called."""
        self.tolerance += 1

        def stop() -> None:
            self.tolerance -= 1

        return stop

    def emit(self, event: Event) -> None:
        if not (self.tolerance and getattr(event, "is_failure", False)):
            super().emit(event)

    def completion(self, block: ir.Try) -> Condition | None:
        loop = self.loops[-1].node if self.loops else None
        if loop is None or not self.once(is_about_data, block):
            return None
        return Condition(("completed", block), loop=loop)

    def catch(self, handler: ir.Handler) -> None:
        if handler.type is not None:
            self.evaluate(handler.type)
        if handler.name is not None:
            self.bind(handler.name, NOTHING)

    def begin_match(self, match: ir.Match) -> None:
        self.here().put(match, self.evaluate(match.subject))

    def capture(self, match: ir.Match, case: ir.Case) -> None:
        subject = self.here().get(match)
        assert isinstance(subject, Value)
        is_whole = len(case.captures) == 1 and (case.test is not None or not case.mentions)
        for name in case.captures:
            self.bind(name, subject if is_whole else replace(NOTHING, device=subject.device))

    def asked(self, test: ir.Implied) -> Hashable | bool:
        return branch_conditions.told(self, test, branch_conditions.condition(self, test))

    def give_back(self, statement: ir.Return) -> Callable[[], None]:
        value = NOTHING
        if statement.value is not None:
            value = told(self, statement.value, self.evaluate(statement.value))
            self.publish(Returned(statement, value))
        return lambda: self.frame.ends.append((self.here(), value))


def is_about_data(block: ir.Try) -> bool:
    """Whether it is for the data to say if a body comes to its end, and not for the devices."""
    caught = exceptions(block)
    calls = (node for each in block.body for node in walk(each) if isinstance(node, ir.Call))
    takes = any(is_name(each.func, "next") for each in calls)
    return caught <= (DATA_ERRORS | {"", "Exception"} if takes else DATA_ERRORS)


def exceptions(block: ir.Try) -> set[str]:
    """The names of what is caught; an empty one for a bare `except`."""
    return {decorator_name(t) for h in block.handlers for t in exception_types(h.type)}


def exception_types(node: ir.Expression | None) -> tuple[ir.Expression, ...]:
    """The types that a handler names; a bare `except` names nothing in particular."""
    if isinstance(node, ir.Display):
        return node.items
    return (ir.Name(None, ""),) if node is None else (node,)
