"""What modules register, by its name."""

from __future__ import annotations

from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import outermost
from devlint.lower import ir
from devlint.values.dimensions import ARRAY
from devlint.values.value import PARAMETER, Kind, Value

#: The parameters and buffers that layers of PyTorch have.
STATE = frozenset("weight bias running_mean running_var in_proj_weight in_proj_bias".split())
#: Where any object keeps its attributes, and a module what it has registered, by their names.
ATTRIBUTES = "__dict__"
REGISTRIES = frozenset({"_parameters", "_buffers", "_modules", ATTRIBUTES})
#: The methods of a module that give one of these.
GETTERS = frozenset({"get_parameter", "get_buffer"})


def owner(machine: Run, value: Value) -> Value | None:
    """The module that a value is, or the one of a library that it is a part of."""
    if module_state.is_module(machine, value):
        return value
    is_part = module_state.is_part_of_model(machine, value.ref)
    return Value(Kind.MODULE, ref=outermost(value.ref)) if is_part else None


def state(machine: Run, whole: Value) -> Value:
    """A parameter or buffer of a module, or of a part of it: it is where that is."""
    device, origin = module_state.module_device(machine, whole)
    return Value(Kind.TENSOR, device, ARRAY, payload=PARAMETER, origin=origin)


def registry(machine: Run, node: ir.Expression) -> tuple[str, Value] | None:
    """Of `module._buffers`, and its like, of `x.__dict__` and of `vars(x)`, its name and what has
    it; None of anything else."""
    match node:
        case ir.Call(func=ir.Name(id="vars"), args=(given,)):
            return ATTRIBUTES, machine.evaluate(given)
    if not isinstance(node, ir.Attribute) or node.name not in REGISTRIES:
        return None
    whole = machine.evaluate(node.value)
    is_it = node.name == ATTRIBUTES or module_state.is_module(machine, whole)
    return (node.name, whole) if is_it else None
