"""Tests of containers whose truth is known where they stand."""

from __future__ import annotations

from devlint.interpret.core.expression_keys import held
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Made, display_kind
from devlint.interpret.core.scopes import tuple_fields
from devlint.lower import ir
from devlint.values.value import Kind, Value


def is_in_empty(machine: Run, test: ir.Expression) -> bool | None:
    """What `key in found` gives of a container that has been made on the way here, and has nothing
    in it yet. In what others call, too, somebody else may have filled it."""
    if not isinstance(test, ir.Compare) or test.ops not in (("in",), ("not in",)):
        return None
    whole = held(machine, test.comparators[0])
    if whole is None or whole.kind is not Kind.CONTAINER or display_kind(whole.ref) is None:
        return None
    is_known = machine.has_instance(whole.ref) and not whole.device.is_known
    if not is_known or machine.instance(whole.ref).items:
        return None
    made = whole.ref.path if isinstance(whole.ref, Made) else ()
    is_here = beginning(made) == beginning(machine.frame.path)
    return test.ops == ("not in",) if is_here else None


def beginning(path: tuple[ir.Node, ...]) -> ir.Node | None:
    """What is looked at by itself, with whatever it is called with; None for the program's run."""
    return None if not path or isinstance(path[0], ir.Call) else path[0]


def has_fields(machine: Run, test: ir.Expression) -> bool | None:
    """What `hasattr(x, "_fields")` gives of a named tuple in view."""
    match test:
        case ir.Call(func=ir.Name(id="hasattr"), args=(ir.Name() as asked, ir.Constant("_fields"))):
            value = held(machine, asked)
            return True if value is not None and is_record(machine, value) else None
    return None


def is_record(machine: Run, value: Value) -> bool:
    return tuple_fields(machine.instance(value.ref).type) is not None
