"""Tensors that are made NumPy arrays, by themselves or by a function they are given to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from devlint.analyses import cpu_only_arguments
from devlint.analyses.inferred_loaders import source_name
from devlint.event import Export, Operand
from devlint.facts.effect import Exports
from devlint.facts.signature import signature
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.values.device import UNKNOWN, Like
from devlint.values.instance import ANY
from devlint.values.value import Kind, Value


def exports(machine: Run, fact: Exports, node: ir.Call, name: str, arguments: Arguments) -> Value:
    if not is_forced(fact, arguments):
        for argument in converted(fact, arguments):
            if fact.of == "self" or argument.value.kind is Kind.TENSOR:
                cpu_only_arguments.made(machine, node, argument.value.device)
            for value in tensors(machine, fact, argument):
                operand = Operand(argument.node, written(argument.node), value)
                is_item = value is not argument.value
                machine.emit(Export(node, written(node.func), operand, is_item))
        if fact.of == "self":
            told(machine, arguments.positional[0])
    return Value(Kind.ARRAY)


def told(machine: Run, receiver: Argument) -> None:
    """`x.numpy()` raises but on the CPU: an argument that it is called for is meant to be there."""
    name = source_name(receiver.node)
    value = machine.lookup(name) if name in machine.frame.names else None
    is_given = any(isinstance(atom, Like) for atom in receiver.value.device.atoms)
    if value is not None and is_given and value.device == receiver.value.device:
        machine.bind(name, replace(value, device=UNKNOWN))


def is_forced(fact: Exports, arguments: Arguments) -> bool:
    """`x.numpy(force=True)` moves by itself."""
    force = arguments.get(1, "force") if fact.of == "self" else None
    return force is not None and force.value.payload is not False


def converted(fact: Exports, arguments: Arguments) -> Iterator[Argument]:
    bound = arguments.bound(signature(fact.signature))
    return (argument for parameter, argument in bound if parameter.is_operand)


def tensors(machine: Run, fact: Exports, argument: Argument) -> Iterator[Value]:
    """The value, or the items of a list, that have to become arrays."""
    value = argument.value
    is_mapping = isinstance(argument.node, ir.Mapping)
    if value.kind is Kind.CONTAINER and (is_mapping or fact.of != "tensors"):
        found = [item for item in items_of(machine, value) if is_tensor(machine, item)]
        yield from found[:1] if not is_mapping else (f for f in found if f.is_scalar is False)
    elif fact.of == "self" or (fact.of != "lists" and is_tensor(machine, value)):
        yield value


def is_tensor(machine: Run, value: Value) -> bool:
    """What was moved as a whole is taken for one; an attribute of it may be anything."""
    if value.kind is not Kind.UNKNOWN or not value.device.is_accelerator:
        return value.kind is Kind.TENSOR
    ref = value.ref
    if isinstance(ref, Child) and ref.key == ANY:
        ref = ref.parent
    return machine.has_instance(ref) and machine.instance(ref).move is not None
