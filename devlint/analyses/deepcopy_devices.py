"""Copies of a module that its own methods build, for `copy.deepcopy` to give."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.event import Facsimile
from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Made
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.interpret.objects import optimizers
from devlint.lower import ir
from devlint.values.value import Value

#: By their contract these give what is as the module is, its device included.
METHODS = frozenset({"__deepcopy__", "__copy__"})


def returned(machine: Run, function: Function, value: Value) -> None:
    """A copy that was built without a device, and of which something may still be on the CPU."""
    node, call = function.node, construction(value.ref)
    if call is None or not isinstance(node, ir.Def) or not module_state.is_module(machine, value):
        return
    instance = machine.instance(value.ref)
    if instance.move is not None or optimizers.is_placed(call, instance):
        return
    if holds_state(machine, value) and not any(map(is_attach, node.body)):
        machine.emit(Facsimile(call, function.name))


def construction(ref: Hashable) -> ir.Call | None:
    node = ref.node if isinstance(ref, Made) else ref
    return node if isinstance(node, ir.Call) else None


def holds_state(machine: Run, value: Value) -> bool:
    """Whether the class makes parameters; the methods that replace them make them unknown."""
    type_ = machine.instance(value.ref).type
    init = type_.method("__init__") if isinstance(type_, ClassInfo) else None
    is_maker = init and isinstance(init.node, ir.Def) and "Parameter" in init.node.words
    return bool(is_maker) or module_state.holds_cpu_state(machine, value)


def is_attach(statement: ir.Node) -> bool:
    """Whether a statement, on every path, replaces what the copy was built with."""
    targets = statement.targets if isinstance(statement, ir.Assign) else ()
    return any(isinstance(target, ir.Attribute) for target in targets)
