"""Flaws of modules: what is wrong with one until something out of view may have mended it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from devlint.facts.effect import Moves
from devlint.facts.table import method_fact
from devlint.interpret.core.interpreter import Run
from devlint.interpret.objects.module_methods import FLUENT
from devlint.queries.name_conventions import names_use
from devlint.values.tags import Tag
from devlint.values.value import Origin, Value


@dataclass(frozen=True, slots=True)
class Flaw(Tag):
    """What is wrong with a module since `origin`; `is_mended`: perhaps not any more."""

    origin: Origin
    is_mended: bool = field(default=False, kw_only=True)

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag:
        return other if isinstance(other, Flaw) and other.is_mended else self

    def escaped(self) -> Flaw:
        return replace(self, is_mended=True)


def put(machine: Run, module: Value, flaw: Flaw) -> None:
    if module.ref is not None:
        machine.flawed.add(module.ref)
        machine.store(module.ref, machine.instance(module.ref).tagged(flaw))


F = TypeVar("F", bound=Flaw)


def get(machine: Run, module: Value, kind: type[F]) -> F | None:
    if module.ref not in machine.flawed:
        return None
    flaw = machine.instance(module.ref).tag(kind)
    return flaw if flaw is not None and not flaw.is_mended else None


def remove(machine: Run, module: Value, kind: type[Flaw]) -> None:
    flaw = get(machine, module, kind)
    if flaw is not None:
        machine.store(module.ref, machine.instance(module.ref).tagged(flaw.escaped()))


def leaves_alone(name: str) -> bool:
    """Whether a method of a module, by its name, writes to none of its parameters and buffers."""
    if isinstance(method_fact(name), Moves) or names_use(name):
        return True
    return name == "to_empty" or (name in FLUENT and name != "apply")
