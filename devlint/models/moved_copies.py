"""Objects of libraries that are no tensors, and of which `to` gives a copy elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devlint.facts.effect import Fact
from devlint.facts.signature import signature
from devlint.interpret.calls import dispatch
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.values.value import Value


@dataclass(frozen=True, slots=True)
class MovedAsCopy(Fact):
    """Gives an object that is moved as tensors are: into a copy."""


@dataclass(frozen=True, slots=True)
class TakesMovedAsCopy(Fact):
    """Takes one."""


def made(machine: Run, fact: MovedAsCopy, call: Call) -> Value:
    value = outside(machine, call)
    machine.tensors.add(value.ref)
    return value


def taken(machine: Run, fact: TakesMovedAsCopy, call: Call) -> Value:
    for _, argument in call.arguments.bound(signature(fact.signature)):
        machine.tensors.add(argument.value.ref)
    return outside(machine, call)


def outside(machine: Run, call: Call) -> Value:
    """What any function out of view gives."""
    return dispatch.out_of_view(machine, replace(call, name=call.name.rpartition(".")[2]))
