"""Calls recalled: what a call gave and wrote when it was made with the same facts before."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from devlint.interpret import modules
from devlint.interpret.arguments import Arguments
from devlint.interpret.machine import Function, Lattice, Machine
from devlint.lower import ir
from devlint.values.value import Value


@dataclass(slots=True)
class Recall:
    """`objects` is the state of the objects that the call was given, `written` what it changed."""

    objects: list[Lattice]
    written: dict[Hashable, Lattice]
    value: Value


def key(
    function: Function, path: tuple[ir.Node, ...], arguments: Arguments, given: list[Value]
) -> Hashable:
    """Objects are told apart by the calls that lead to them; plain values are the same anywhere."""
    has_objects = any(value.ref is not None for value in given)
    return (
        function.node,
        path if has_objects else (),
        tuple(arguments.keywords),
        arguments.is_open,
        tuple(given),
    )


def objects(machine: Machine, given: list[Value]) -> list[Lattice]:
    """What is known of the objects that can be reached from the arguments."""
    return [
        machine.instance(part.ref)
        for value in given
        if machine.has_instance(value.ref)
        for part in modules.parts(machine, value, set())
        if part.ref is not None
    ]


def repeat(machine: Machine, recalled: Recall) -> Value:
    machine.here().cells.update(recalled.written)
    return recalled.value
