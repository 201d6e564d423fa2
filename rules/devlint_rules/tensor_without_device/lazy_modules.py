"""Submodules that a module makes while it computes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from devlint.api import (
    Analysis,
    AttributeStored,
    Kind,
    Presumption,
    Problem,
    Returned,
    Run,
    Value,
    ir,
    module_state,
    on,
)
from devlint_rules.tensor_without_device.callers import is_before_moves
from devlint_rules.tensor_without_device.fresh_modules import places_itself
from devlint_rules.tensor_without_device.module_copies import construction


class Lazy(NamedTuple):
    """A submodule that was made by a call, and that a forward pass has assigned."""

    name: str
    made: ir.Call
    site: ir.Node


class LazyModules(Analysis[Run]):
    """Reports submodules that are made on the CPU in the forward pass, and are not moved there."""

    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.lazy: dict[Hashable, Lazy] = {}

    @on(AttributeStored)
    def store(self, signal: AttributeStored) -> None:
        value, whole = signal.value, signal.whole
        made = construction(value.ref) if value.kind is Kind.MODULE else None
        if made is None or not self.is_computing(whole) or places_itself(self.type_of(value.ref)):
            return
        if module_state.holds_cpu_state(self.run, value) and not is_before_moves(self.run):
            self.lazy[value.ref] = Lazy(signal.name, made, signal.site)

    def is_computing(self, whole: Value) -> bool:
        """Whether the forward pass of a module runs that is wherever its user has moved it."""
        is_placed = self.run.instance(whole.ref).device.is_like
        functions = zip(self.run.running, self.run.owners, strict=True)
        return is_placed and any(
            isinstance(function, ir.Def)
            and function.name == "forward"
            and owner is self.type_of(whole.ref)
            for function, owner in functions
        )

    def type_of(self, ref: Hashable) -> object:
        return self.run.instance(ref).type

    @on(Returned)
    def give(self, signal: Returned) -> None:
        """By now it has been moved, if it is."""
        function = self.run.function
        if not isinstance(function, ir.Def) or function.name != "forward":
            return
        for ref, lazy in self.lazy.items():
            is_left = module_state.holds_cpu_state(self.run, Value(Kind.MODULE, ref=ref))
            if is_left and self.run.counts(self):
                self.run.report(self, problem(lazy))
        self.lazy.clear()


def problem(lazy: Lazy) -> Problem:
    return Problem(
        lazy.made,
        f"`{lazy.name}` is made on the CPU in the forward pass, by when its module may have been "
        "moved: on an accelerator this raises",
        later=((lazy.site, "it becomes a part of the module here"),),
        presumes=(Presumption.MOVED_MODULE,),
    )
