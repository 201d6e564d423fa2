"""Flaws of modules: what is wrong with one until something out of view may have mended it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from devlint.facts.effect import Moves
from devlint.facts.table import method_fact
from devlint.interpret.core.interpreter import Machine
from devlint.interpret.objects.module_methods import FLUENT
from devlint.queries.name_conventions import names_use
from devlint.values.device import META, UNKNOWN
from devlint.values.value import Kind, Origin, Value


def put(machine: Machine, module: Value, key: Hashable, detail: object, origin: Origin) -> None:
    """A flaw is an item on `meta`: wherever the module escapes to, that is not known any more."""
    if module.ref is not None:
        machine.flawed.add(module.ref)
        flaw = Value(Kind.TENSOR, META, detail=detail, origin=origin)
        machine.store(module.ref, machine.instance(module.ref).with_item(key, flaw))


def get(machine: Machine, module: Value, key: Hashable) -> Value | None:
    if module.ref not in machine.flawed:
        return None
    flaw = machine.instance(module.ref).items.get(key)
    return flaw if flaw is not None and flaw.device == META else None


def remove(machine: Machine, module: Value, key: Hashable) -> None:
    flaw = get(machine, module, key)
    if flaw is not None:
        instance = machine.instance(module.ref)
        machine.store(module.ref, instance.with_item(key, replace(flaw, device=UNKNOWN)))


def leaves_alone(name: str) -> bool:
    """Whether a method of a module, by its name, writes to none of its parameters and buffers."""
    if isinstance(method_fact(name), Moves) or names_use(name):
        return True
    return name == "to_empty" or (name in FLUENT and name != "apply")
