"""Functions that decorators in view make of others."""

from __future__ import annotations

from dataclasses import replace

from devlint.interpret.calls.inlining import invoke
from devlint.interpret.core.arguments import evaluated
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.definitions import TRANSPARENT_DECORATORS, decorator_name, definition
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Function
from devlint.lower import ir
from devlint.values.value import NOTHING, Kind, Value


def defined(machine: Run, node: ir.Def) -> None:
    """Bind a function, as its decorators give it back."""
    definition(machine, node)
    frame = machine.frame
    if frame.is_class_body or machine.lookup(node.name) != NOTHING:
        return
    function = frame.defined[-1]
    if isinstance(function, Function):
        machine.bind(node.name, decorated(machine, node, Value(Kind.FUNCTION, payload=function)))


def decorated(machine: Run, node: ir.Def, value: Value) -> Value:
    """What a function becomes, unless what is done to it in view is not understood."""
    for decorator in reversed(node.decorators):
        if decorator_name(decorator) not in TRANSPARENT_DECORATORS:
            wrapper = wrapping(machine, decorator)
            if wrapper is None:
                return passed_on(machine, decorator, value)
            given = Arguments((Argument(decorator, value),))
            value = invoke(machine, wrapper, given, decorator)
            if not isinstance(value.payload, Function):
                return NOTHING
    return value


def passed_on(machine: Run, decorator: ir.Expression, value: Value) -> Value:
    """What a decorator makes of a function that is not in view: it may move what that gives."""
    made = decorator.func if isinstance(decorator, ir.Call) else decorator
    if not isinstance(value.payload, Function) or machine.evaluate(made).kind is not Kind.IMPORTED:
        return NOTHING
    return replace(value, payload=replace(value.payload, is_decorated=True))


def wrapping(machine: Run, decorator: ir.Expression) -> Function | None:
    """The function that is called with what is decorated; `@retry(3)` gives one."""
    if isinstance(decorator, ir.Call):
        maker = machine.evaluate(decorator.func).payload
        if not isinstance(maker, Function):
            return None
        arguments = evaluated(machine, decorator)
        payload = invoke(machine, maker, arguments, decorator, is_certain=True).payload
    else:
        payload = machine.evaluate(decorator).payload
    return payload if isinstance(payload, Function) else None
