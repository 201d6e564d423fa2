"""Overrides of one method: some give what is where their arguments are, others what is on the
CPU."""

from __future__ import annotations

from collections.abc import Hashable, Set
from dataclasses import dataclass, field

from devlint.api import (
    Analysis,
    ClassInfo,
    Ended,
    Factory,
    Kind,
    Problem,
    Returned,
    Run,
    Value,
    ir,
    on,
    walk,
)
from devlint_rules.tensor_without_device.cpu_factories import factory


@dataclass(slots=True)
class Override:
    """What a method gives: `placed` what it puts where its arguments are, or computes of those,
    `left` what it makes on the CPU; `is_open`: something else, too."""

    owner: ClassInfo
    placed: list[ir.Node] = field(default_factory=list)
    left: list[tuple[ir.Node, Factory]] = field(default_factory=list)
    is_open: bool = False


class UnlikeOverrides(Analysis[Run]):
    """Reports what an override leaves on the CPU that its siblings place: who calls it relies on
    what all of them do."""

    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: By the first of their bases that has the method, and its name.
        self.overrides: dict[tuple[Hashable, str], dict[ir.Def, Override]] = {}

    @on(Returned)
    def give(self, signal: Returned) -> None:
        method, owner = self.run.function, self.run.frame.owner
        if not isinstance(method, ir.Def) or owner is None or method.name == "__init__":
            return
        having = [each for each in owner.line if method.name in each.methods]
        if len(having) > 1:
            alike = self.overrides.setdefault((having[-1].node, method.name), {})
            own = self.run.once(nodes_of, method)
            note(alike.setdefault(method, Override(owner)), signal, own)

    @on(Ended)
    def settle(self, signal: Ended) -> None:
        for (_, name), alike in self.overrides.items():
            told = [each for each in alike.values() if not each.is_open]
            siblings = [each for each in told if each.placed and not each.left]
            for each in told if siblings else ():
                if each.left and not each.placed:
                    self.run.report(self, problem(name, *each.left[0], siblings[0]))


def nodes_of(method: ir.Def) -> frozenset[ir.Node]:
    return frozenset(walk(method))


def note(override: Override, signal: Returned, own: Set[ir.Node]) -> None:
    """`own` are the nodes of the method."""
    value = signal.value
    origin, made = value.origin, factory(value)
    if made is not None and value.is_scalar is False:
        here = made.call if made.call in own else signal.node.value
        override.left.append((here or signal.node, made))
    elif origin is not None and is_placed(value):
        override.is_open |= origin.node not in own
        override.placed.append(origin.node)
    else:
        override.is_open = True


def is_placed(value: Value) -> bool:
    return value.kind is Kind.TENSOR and (value.device.is_like or value.device.is_accelerator)


def problem(name: str, here: ir.Node, made: Factory, sibling: Override) -> Problem:
    owner = sibling.owner.node.name
    is_here = made.call is here
    return Problem(
        here,
        f"`{name}` gives this tensor as it is made, on the CPU, while that of `{owner}` gives one "
        "where its arguments are: who calls either raises with one of them on an accelerator",
        () if is_here else ((made.call, "it is made here"),),
        later=((sibling.placed[0], f"that of `{owner}` is where this is"),),
    )
