"""What decorators in view make of functions, and do with classes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import cast

from devlint.flow.state import State
from devlint.interpret.calls.inlining import invoke
from devlint.interpret.calls.summaries import is_closure
from devlint.interpret.core.arguments import evaluated
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.definitions import (
    TRANSPARENT_DECORATORS,
    class_definition,
    decorator_name,
    definition,
)
from devlint.interpret.core.heap import Lattice
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Bound, Frame, Function
from devlint.lower import ir
from devlint.values.instance import Instance
from devlint.values.value import NOTHING, Kind, Value

#: After so many definitions a decorator of another module is known to do nothing with them.
ENOUGH = 3


def defined(machine: Run, node: ir.Def) -> None:
    """Bind a function, as its decorators give it back."""
    definition(machine, node)
    frame, function = machine.frame, machine.frame.defined[-1]
    if not isinstance(function, Function):
        return
    if frame.is_class_body:
        wrap(machine, node, function)
    elif machine.lookup(node.name) == NOTHING:
        machine.bind(node.name, decorated(machine, node, Value(Kind.FUNCTION, payload=function)))


def wrap(machine: Run, node: ir.Def, method: Function) -> None:
    """Know what is called instead of a method, if its decorators are understood."""
    owner = machine.frame.owner
    if not method.is_wrapped or owner is None:
        return
    bare = Value(Kind.FUNCTION, payload=replace(method, is_wrapped=False))
    made = decorated(machine, node, bare).payload
    if isinstance(made, Function) and made.node is not node:
        owner.wrappers[node] = made


def class_defined(machine: Run, node: ir.Class) -> None:
    """Bind a class, and let its decorators have it: they may keep it under some name. What they
    give back is taken for the class itself."""
    class_definition(machine, node)
    value = machine.lookup(node.name)
    if value is None or value.kind is not Kind.CLASS:
        return
    for decorator in reversed(node.decorators):
        if (wrapper := wrapping(machine, decorator)) is not None:
            wrapped(machine, wrapper, decorator, value)


def decorated(machine: Run, node: ir.Def, value: Value) -> Value:
    """What a function becomes, unless what is done to it in view is not understood."""
    for decorator in reversed(node.decorators):
        if decorator_name(decorator) not in TRANSPARENT_DECORATORS:
            wrapper = wrapping(machine, decorator)
            if wrapper is None:
                return passed_on(machine, decorator, value)
            value = wrapped(machine, wrapper, decorator, value)
            if not isinstance(value.payload, Function):
                return NOTHING
    return value


def wrapped(machine: Run, wrapper: Value, decorator: ir.Expression, value: Value) -> Value:
    """What a decorator in view gives for what is decorated.

    One of another module that has given back some definitions as they were, and kept none of them,
    does so with all: a library decorates each of its classes to write their documentation.
    """
    arguments, function = Arguments((Argument(decorator, value),)), function_of(wrapper)
    if function.frame.top is machine.home.frame:
        return called(machine, wrapper, arguments, decorator)
    answers = machine.view_at(function.frame).answers
    spared = cast(int, answers.get((wrapped, function.node), 0))
    if spared >= ENOUGH:
        return value
    before = machine.here()
    machine.state = before.fork()
    given = called(machine, wrapper, arguments, decorator)
    is_spared = gives_back(given, value) and not keeps(machine, before, value)
    answers[wrapped, function.node] = spared + 1 if is_spared else 0
    return given


def gives_back(given: Value, value: Value) -> bool:
    """Whether what a decorator gives is taken for what was decorated, as it is of classes."""
    one, other = given.payload, value.payload
    is_same = isinstance(one, Function) and isinstance(other, Function) and one.node is other.node
    return is_same or value.kind is Kind.CLASS


def keeps(machine: Run, before: State[Lattice], value: Value) -> bool:
    """Whether a decorator has put what it decorates, or a function that may hold it, where others
    find it."""
    state = machine.state
    if state is None or not state.descends_from(before):
        return True
    written, _ = state.since(before)
    kept = (cell for key, cell in written.items() if not is_local(key))
    found = (each for cell in kept for each in held(cell))
    return any(each.payload is value.payload or is_closure(each) for each in found)


def is_local(key: Hashable) -> bool:
    """Whether a cell is that of a name in a function."""
    return isinstance(key, tuple) and isinstance(key[0], Frame) and key[0].parent is not None


def held(cell: Lattice) -> list[Value]:
    """What is right in a cell."""
    if isinstance(cell, Instance):
        return [item for _, item in cell.contents]
    return [cell] if isinstance(cell, Value) else []


def function_of(callee: Value) -> Function:
    """The function that is called, be it a method."""
    payload = callee.payload
    function = payload.function if isinstance(payload, Bound) else payload
    assert isinstance(function, Function)
    return function


def called(machine: Run, callee: Value, arguments: Arguments, node: ir.Expression) -> Value:
    payload = callee.payload
    if isinstance(payload, Bound) and payload.function is not None:
        function, receiver = payload.function, payload.receiver
        return invoke(machine, function, arguments, node, receiver, is_certain=True)
    assert isinstance(payload, Function)
    return invoke(machine, payload, arguments, node, is_certain=True)


def passed_on(machine: Run, decorator: ir.Expression, value: Value) -> Value:
    """What a decorator makes of a function that is not in view: it may move what that gives."""
    made = decorator.func if isinstance(decorator, ir.Call) else decorator
    if not isinstance(value.payload, Function) or machine.evaluate(made).kind is not Kind.IMPORTED:
        return NOTHING
    return replace(value, payload=replace(value.payload, is_decorated=True))


def wrapping(machine: Run, decorator: ir.Expression) -> Value | None:
    """The function or method in view that is called with what is decorated; `@retry(3)` gives
    one."""
    if not isinstance(decorator, ir.Call):
        callee = machine.evaluate(decorator)
    elif is_in_view(maker := machine.evaluate(decorator.func)):
        callee = called(machine, maker, evaluated(machine, decorator), decorator)
    else:
        return None
    return callee if is_in_view(callee) else None


def is_in_view(callee: Value) -> bool:
    payload = callee.payload
    return isinstance(payload, Function) or (isinstance(payload, Bound) and bool(payload.function))
