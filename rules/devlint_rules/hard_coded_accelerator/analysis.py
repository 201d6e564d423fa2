"""Literal accelerators: where a program names one though something else could say which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from devlint.api import (
    Analysis,
    Chosen,
    Combined,
    Ended,
    ModuleFed,
    Presumption,
    Problem,
    Run,
    Value,
    ir,
    module_state,
    on,
)
from devlint_rules.hard_coded_accelerator.literals import hard_coded


class Met(NamedTuple):
    """The operation in which something meets what is on a device `chosen` at run time."""

    node: ir.Node
    chosen: str


class LiteralAccelerators(Analysis[Run]):
    """Reports accelerators that are written out where something else says which device to use."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Where what calls put on accelerators meets what is on a chosen device.
        self.met: dict[ir.Node, Met] = {}

    @cached_property
    def found(self) -> Sequence[Problem]:
        """What the text of the file shows."""
        return tuple(hard_coded(self.run.home.module))

    @cached_property
    def unsure(self) -> frozenset[ir.Node]:
        """Where that is which such an operation makes surer."""
        return frozenset(p.node for p in self.found if Presumption.PORTABLE in p.presumes)

    @on(Combined)
    def combine(self, signal: Combined) -> None:
        if self.unsure:
            self.meet(signal.node, [each.value for each in signal.operands])

    @on(ModuleFed)
    def feed(self, signal: ModuleFed) -> None:
        if self.unsure:
            device, origin = module_state.module_device(self.run, signal.module)
            module = replace(signal.module, device=device, origin=origin)
            self.meet(signal.call.node, [module, *(each.value for each in signal.call.arguments)])

    def meet(self, node: ir.Node, values: Sequence[Value]) -> None:
        chosen = [text for each in values if (text := chosen_for(each)) is not None]
        for value in values if chosen else ():
            if value.origin is not None and value.device.is_named and value.device.is_accelerator:
                self.met.setdefault(value.origin.node, Met(node, chosen[0]))

    @on(Ended)
    def end(self, signal: Ended) -> None:
        for problem in self.found:
            met = self.met.get(problem.node) if problem.node in self.unsure else None
            self.run.report(self, problem if met is None else besides(problem, met))


def chosen_for(value: Value) -> str | None:
    """How the program writes the device that was chosen for a value, if one was."""
    atoms = value.device.atoms if value.device.test is None else ()
    texts = [each.text for each in atoms if isinstance(each, Chosen)]
    return texts[0] if texts and len(texts) == len(atoms) else None


def besides(problem: Problem, met: Met) -> Problem:
    """A program that is meant for one kind of accelerator has no need to choose."""
    later = ((met.node, f"it meets what is on `{met.chosen}` here"),)
    return replace(problem, later=later, presumes=(Presumption.CHOSEN_DEVICE,))
