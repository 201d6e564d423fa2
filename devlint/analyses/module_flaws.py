"""Flaws of modules: what is wrong with one until something out of view may have mended it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from devlint.facts.effect import Moves
from devlint.facts.table import method_fact
from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import Skipped
from devlint.interpret.modules.module_methods import FLUENT
from devlint.queries.name_conventions import names_use
from devlint.rule.analysis import Analysis, on
from devlint.values.origin import Origin
from devlint.values.tags import Tag, escaped_tags
from devlint.values.value import Value


@dataclass(frozen=True, slots=True)
class Flaw(Tag):
    """What is wrong with a module since `origin`; `is_mended`: perhaps not any more."""

    origin: Origin
    is_mended: bool = field(default=False, kw_only=True)

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag:
        return other if isinstance(other, Flaw) and other.is_mended else self

    def escaped(self) -> Flaw:
        return replace(self, is_mended=True)


F = TypeVar("F", bound=Flaw)


class ModuleFlaws(Analysis[Run]):
    """Follows flaws of modules; subclasses say what brings one about, and what mends it."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Keys of all modules that ever had a flaw: others need not be looked at.
        self.flawed: set[Hashable] = set()

    @on(Skipped)
    def skip(self, signal: Skipped) -> None:
        """A function that is not followed may mend what it gets hold of."""
        given = [argument.value for argument in signal.arguments] if self.flawed else []
        for value in given if signal.receiver is None else [*given, signal.receiver]:
            for part in list(module_state.parts(self.run, value, set())):
                if part.ref in self.flawed:
                    instance = self.run.instance(part.ref)
                    self.run.store(part.ref, replace(instance, tags=escaped_tags(instance.tags)))

    def mark(self, module: Value, flaw: Flaw) -> None:
        if module.ref is not None:
            self.flawed.add(module.ref)
            self.run.store(module.ref, self.run.instance(module.ref).tagged(flaw))

    def flaw(self, module: Value, kind: type[F]) -> F | None:
        """The flaw of that kind which a module has."""
        if module.ref not in self.flawed:
            return None
        flaw = self.run.instance(module.ref).tag(kind)
        return flaw if flaw is not None and not flaw.is_mended else None

    def mend(self, module: Value, kind: type[Flaw]) -> None:
        """Something may have mended a flaw."""
        flaw = self.flaw(module, kind)
        if flaw is not None:
            self.run.store(module.ref, self.run.instance(module.ref).tagged(flaw.escaped()))


def leaves_state_alone(name: str) -> bool:
    """Whether a method of a module, by its name, writes to none of its parameters and buffers."""
    if isinstance(method_fact(name), Moves) or names_use(name):
        return True
    return name == "to_empty" or (name in FLUENT and name != "apply")
