"""Methods that a project's own names speak of."""

from __future__ import annotations

from dataclasses import replace

from devlint.facts.effect import Moves
from devlint.facts.library import Relocates
from devlint.facts.table import method_fact
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.objects.module_methods import moved
from devlint.lower import ir
from devlint.models import project_batches, project_loaders, project_moves
from devlint.values.value import Value


def called(
    machine: Run, node: ir.Call, receiver: Value, name: str, arguments: Arguments
) -> Value | None:
    """What a method gives; None where nothing is said of it."""
    fact = machine.configured.method(name) or method_fact(name)
    if isinstance(fact, Relocates):
        return relocated(machine, node, fact, receiver, name, arguments)
    if isinstance(fact, Moves) and project_batches.is_batch(machine, receiver):
        return project_batches.moved(machine, node, fact, receiver, arguments)
    if isinstance(fact, Moves) and name in machine.configured.devices:
        return moved(machine, node, fact, receiver, arguments)
    return project_loaders.supplied(machine, node, receiver)


def relocated(
    machine: Run,
    node: ir.Call,
    fact: Relocates,
    receiver: Value,
    name: str,
    arguments: Arguments,
) -> Value:
    """A method moves what it is given, or its receiver if it is given nothing but a device."""
    assert isinstance(node.func, ir.Attribute)
    place = next((a for a in project_moves.by_name(arguments) if project_moves.is_place(a)), None)
    if not project_moves.moved_of(arguments, place) and not arguments.rest:
        whole = Argument(node.func.value, receiver)
        arguments = replace(arguments, positional=(whole, *arguments.positional))
    return project_moves.relocates(machine, fact, node, name, arguments)
