"""Objects of libraries that are no tensors, and of which `to` gives a copy elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.effect import Fact
from devlint.interpret.calls import dispatch
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.value import Value


@dataclass(frozen=True, slots=True)
class MovedAsCopy(Fact):
    """Gives an object that is moved as tensors are: into a copy."""


def made(machine: Run, fact: MovedAsCopy, node: ir.Call, name: str, arguments: Arguments) -> Value:
    value = dispatch.out_of_view(machine, node, name.rpartition(".")[2], arguments)
    machine.tensors.add(value.ref)
    return value
