"""What simple statements do: bind, assign, import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from devlint.facts.effect import Container
from devlint.facts.table import OPERATORS
from devlint.interpret.calls import decorators, special_methods
from devlint.interpret.calls.assignment import assign
from devlint.interpret.conditions import branch_conditions
from devlint.interpret.core.containers import add, blur, element, numbered, sequence
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import display_kind
from devlint.interpret.core.signals import Assigned, Augmented, ChangedInPlace
from devlint.interpret.objects import imported_modules, inferred_batches
from devlint.interpret.tensors import operations
from devlint.interpret.tensors.certain_tensors import rebound
from devlint.lower import ir
from devlint.queries.annotations import annotated, as_declared
from devlint.queries.device_tests import senses
from devlint.values.condition import SILENT, Condition
from devlint.values.instance import ItemKey
from devlint.values.value import NOTHING, Kind, Value


def assignment(machine: Run, node: ir.Assign) -> None:
    value = told(machine, node.value, rebound(machine, node, machine.evaluate(node.value)))
    value = inferred_batches.assigned(machine, node, value)
    if node.annotation is not None:
        value = as_declared(value, annotated(node.annotation))
    for target in node.targets:
        assign(machine, target, value, node.value)
        if node.annotation is not None and isinstance(target, ir.Name):
            declare(machine, target.id)
    machine.publish(Assigned(node, value))


def told(machine: Run, node: ir.Expression, value: Value) -> Value:
    """The value of an expression; one that may be true or false is known as that test."""
    is_open = not isinstance(value.payload, Condition)
    if is_open and (value.kind is Kind.CONDITION or tells_devices(value, node)):
        return replace(value, payload=branch_conditions.condition(machine, node))
    return value


def tells_devices(value: Value, node: ir.Expression) -> bool:
    """Whether an unknown value is a flag for the device in use (`on_gpu = x.is_cuda`)."""
    return value.kind is Kind.UNKNOWN and senses(node) != SILENT


def augmented(machine: Run, node: ir.AugmentedAssign) -> None:
    before = machine.evaluate(node.target)
    if node.op == "+" and isinstance(machine.instance(before.ref).type, Container):
        machine.evaluate(machine.once(extension, node))
        return
    value = machine.evaluate(node.value)
    machine.publish(ChangedInPlace(node, before))
    operands = [(node.target, before), (node.value, value)]
    if (own := special_methods.changed(machine, node, node.op, *operands)) is not None:
        assign(machine, node.target, own)
        return
    is_tensor = before.kind is Kind.TENSOR
    after = operations.operated(
        machine, node, f"{node.op}=", OPERATORS[node.op], operands, in_place=is_tensor
    )
    if before.kind is Kind.CONTAINER:
        add(machine, before, element(machine, value, node), node)
        after = before
    assign(machine, node.target, machine.revise(Augmented(after, node, before, value)))


def extension(node: ir.AugmentedAssign) -> ir.Call:
    """What `modules += [..]` does to a list of modules."""
    return ir.Call(node.at, ir.Attribute(node.at, node.target, "extend"), (node.value,), ())


def evaluation(machine: Run, node: ir.Evaluate) -> None:
    machine.statement = node
    machine.evaluate(node.value)


def raised(machine: Run, node: ir.Raise) -> None:
    for part in (node.value, node.cause):
        if part is not None:
            machine.evaluate(part)


def deletion(machine: Run, node: ir.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ir.Name):
            machine.bind(target.id, NOTHING)
        elif isinstance(target, ir.Subscript):
            remove(machine, machine.evaluate(target.value), target.index)


def remove(machine: Run, whole: Value, index: ir.Expression) -> None:
    """Take out what is at an index: of a list, what is left may be anywhere else."""
    instance, key = machine.instance(whole.ref), machine.evaluate(index).payload
    known = None if machine.loops else sequence(machine, whole)
    if known and isinstance(key, int) and -len(known) <= key < len(known):
        del known[key]
        left = numbered(known)
    elif isinstance(key, str) and ItemKey(key) in instance.items:
        left = {each: item for each, item in instance.items.items() if each.at != key}
    elif display_kind(whole.ref) == "list" and whole.kind is Kind.CONTAINER:
        left = numbered((), instance.items.values())
    else:
        blur(machine, whole, NOTHING)
        return
    machine.store(whole.ref, replace(instance, items=left))


def declaration(machine: Run, node: ir.Declare) -> None:
    declare(machine, node.name, node.annotation)


def declare(machine: Run, name: str, annotation: ir.Expression | None = None) -> None:
    """A class body annotates a name."""
    if machine.frame.is_class_body and machine.frame.owner is not None:
        machine.frame.owner.fields[name] = annotation


def nothing(machine: Run, node: ir.Pass) -> None:
    """Goes on."""


def scope(machine: Run, node: ir.Scope) -> None:
    outer = machine.top if node.kind == "global" else machine.frame.parent
    while outer is not None and outer.is_class_body:
        outer = outer.parent
    for name in node.names:
        machine.frame.outer_names[name] = outer or machine.top


def imported(machine: Run, node: ir.Import) -> None:
    for dotted, alias in node.names:
        shown = alias or dotted.partition(".")[0]
        payload = imported_modules.imported(machine, dotted if alias else shown)
        machine.bind(shown, Value(Kind.IMPORTED, payload=payload))


def imported_from(machine: Run, node: ir.ImportFrom) -> None:
    for name, alias in node.names:
        if name == "*":
            machine.view.stars.append(imported_modules.imported(machine, node.module))
        else:
            payload = imported_modules.imported(machine, node.module, name)
            machine.bind(alias or name, Value(Kind.IMPORTED, payload=payload))


EXECUTORS: dict[type, Callable[[Run, Any], None]] = {
    ir.Assign: assignment,
    ir.Declare: declaration,
    ir.AugmentedAssign: augmented,
    ir.Evaluate: evaluation,
    ir.Raise: raised,
    ir.Delete: deletion,
    ir.Pass: nothing,
    ir.Scope: scope,
    ir.Import: imported,
    ir.ImportFrom: imported_from,
    ir.Def: decorators.defined,
    ir.Class: decorators.class_defined,
}
