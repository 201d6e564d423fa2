"""Methods that a project's own names speak of."""

from __future__ import annotations

from dataclasses import replace

from devlint.interpret import batch_objects, relocation, suppliers
from devlint.interpret.arguments import Argument, Arguments
from devlint.interpret.machine import Machine
from devlint.interpret.module_methods import moved
from devlint.lower import ir
from devlint.torch_facts.effect import Moves
from devlint.torch_facts.library import Relocates
from devlint.torch_facts.table import method_fact
from devlint.values.value import Value


def called(
    machine: Machine, node: ir.Call, receiver: Value, name: str, arguments: Arguments
) -> Value | None:
    """What a method gives; None where nothing is said of it."""
    fact = machine.configured.method(name) or method_fact(name)
    if isinstance(fact, Relocates):
        return relocated(machine, node, fact, receiver, name, arguments)
    if isinstance(fact, Moves) and batch_objects.is_batch(machine, receiver):
        return batch_objects.moved(machine, node, fact, receiver, arguments)
    if isinstance(fact, Moves) and name in machine.configured.devices:
        return moved(machine, node, fact, receiver, arguments)
    return suppliers.supplied(machine, node, receiver)


def relocated(
    machine: Machine,
    node: ir.Call,
    fact: Relocates,
    receiver: Value,
    name: str,
    arguments: Arguments,
) -> Value:
    """A method moves what it is given, or its receiver if it is given nothing but a device."""
    assert isinstance(node.func, ir.Attribute)
    place = next((a for a in relocation.by_name(arguments) if relocation.is_place(a)), None)
    if not relocation.moved_of(arguments, place) and not arguments.rest:
        whole = Argument(node.func.value, receiver)
        arguments = replace(arguments, positional=(whole, *arguments.positional))
    return relocation.relocates(machine, fact, node, name, arguments)
