"""Moves of tensors whose result nothing keeps."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

from devlint.api import (
    PARAMETER,
    UNKNOWN,
    Analysis,
    Ended,
    Fix,
    ModuleCalled,
    Problem,
    Run,
    Transferring,
    Value,
    assign,
    assigned_back,
    ir,
    liveness,
    module_state,
    on,
    source_text,
    written,
)
from devlint_rules.discarded_move.aliases import names_of, referred
from devlint_rules.discarded_move.evidence import (
    is_beside,
    is_in_each_round,
    is_of_tensors,
    is_tensor,
    is_tested,
)
from devlint_rules.discarded_move.site import Body, Site, Use, whole_of


class Open(NamedTuple):
    """A move of what may be a tensor: of which object, a part of what else, and whether all parts
    of that are moved."""

    problem: Problem
    ref: Hashable
    whole: Hashable
    is_in_each_round: bool


class DiscardedMoves(Analysis[Run]):
    """Reports statements that move a tensor which is read later."""

    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.open: list[Open] = []
        #: The tensors of which one is reported.
        self.told: set[Hashable] = set()
        #: What is called, as no tensor is.
        self.called: set[Hashable] = set()

    @on(ModuleCalled)
    def call(self, signal: ModuleCalled) -> None:
        self.called.add(signal.module.ref)

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        node, value = signal.call.node, signal.value
        site = self.site(node)
        if site is None or not (signal.device.is_known or "device" in dict(node.keywords)):
            return
        if signal.device.is_known and value.device == signal.device:
            return  # It is there already, so that the move gives the tensor itself.
        is_proven = is_tensor(self.run, value, site)
        if not is_proven and (value.ref is None or is_tested(self.run, site)):
            return
        use = self.read_later(site)
        if use is None and not isinstance(value.payload, module_state.PartOf):
            return
        found = problem(node, site, value, use)
        if is_proven:
            self.run.report(self, found)
            self.told.add(value.ref)
            self.release(site, value)
        elif not self.run.tolerance:
            whole = site.whole and referred(self.run, site.whole)
            self.open.append(Open(found, value.ref, whole and whole.ref, is_in_each_round(site)))

    def release(self, site: Site, value: Value) -> None:
        """It is told here, and not once more where the tensor meets others."""
        released = replace(value, device=UNKNOWN, origin=None)
        for name in site.names:
            assign(self.run, name, released)

    @on(Ended)
    def confirm(self, signal: Ended) -> None:
        """Report moves of what turned out to be tensors, by how the program uses them elsewhere."""
        tensors, told = self.run.tensors - self.called - {None}, self.told
        for each in self.open:
            items = is_of_tensors(each.ref, tensors) and each.is_in_each_round
            if items or not tensors.isdisjoint((each.ref, each.whole)):
                told.add(each.ref)
        for each in self.open:
            if each.ref in told or is_beside(each.ref, told):
                self.run.report(self, each.problem)

    def site(self, node: ir.Call) -> Site | None:
        if not isinstance(node.func, ir.Attribute):
            return None
        subject = node.func.value
        if isinstance(subject, ir.Attribute) and subject.name == "data":
            subject = subject.value
        running = self.run.function or self.run.module
        if not isinstance(running, (ir.Def, ir.Module)):
            return None
        if not isinstance(whole_of(subject), ir.Name):
            return None
        body = self.run.once(Body, running)
        statement = body.dropped.get(node)
        if statement is None:
            return None
        return Site(statement, names_of(self.run, subject, running), running, body)

    def read_later(self, site: Site) -> Use | None:
        """Where the tensor is read after the statement: here, or as an attribute elsewhere."""
        for name in site.names:
            if (node := self.read_as(name, site)) is not None:
                return Use(node, name)
        return None

    def read_as(self, name: ir.Expression, site: Site) -> ir.Node | None:
        found = site.later_read(name)
        if found is not None or isinstance(name, ir.Name):
            return found
        whole = whole_of(name)
        if not liveness.is_receiver(whole):
            return site.body.later_read(site.statement, whole)
        held = next(liveness.iterated(name), None)
        return self.read_elsewhere(held) if isinstance(held, ir.Attribute) else None

    def read_elsewhere(self, held: ir.Attribute) -> ir.Node | None:
        text, here = source_text(held), self.run.function
        definitions = self.run.seeds.definitions
        others = [each for each in definitions if isinstance(each, ir.Def) and each is not here]
        reads = (liveness.read(each, text) for each in others if held.name in each.words)
        return next((found for found in reads if found is not None), None)


def problem(node: ir.Call, site: Site, value: Value, use: Use | None) -> Problem:
    tensor, origin, statement = written(site.subject), value.origin, site.statement
    is_alone = isinstance(statement, ir.Evaluate)
    keeps = "nothing keeps" if is_alone else f"`{tensor}` has until the next round only"
    fix = None
    if isinstance(statement, ir.Evaluate) and is_kept(site, value, use):
        fix = assignment(statement)
    return Problem(
        node,
        f"`{written(node)}` leaves `{tensor}` where it is: it gives a moved copy, which {keeps}",
        () if origin is None else ((origin.node, f"`{tensor}`: {origin.text}"),),
        later=() if use is None else ((use.node, told(use, site)),),
        fix=fix,
    )


def told(use: Use, site: Site) -> str:
    alias = "" if use.name is site.subject else f" as `{written(use.name)}`"
    return f"read here{alias}, where it was before"


def is_kept(site: Site, value: Value, use: Use | None) -> bool:
    """Whether what reads the tensor would have the moved one, if that was assigned back."""
    if use is None or use.name is not site.subject or value.payload == PARAMETER:
        return False
    return site.loop is None and not isinstance(value.payload, module_state.PartOf)


def assignment(statement: ir.Evaluate) -> Fix:
    risk = "other names keep the tensor that was not moved"
    return Fix("assign the moved tensor back", (assigned_back(statement),), "unsafe", risk)
