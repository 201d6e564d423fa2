"""Where a device came from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from devlint.lower import ir
from devlint.values.condition import Condition
from devlint.values.source import Source
from devlint.values.steps import step


@dataclass(slots=True, unsafe_hash=True)
class Origin:
    """Where a device came from, and how to say so: "moved to `device` here"."""

    node: ir.Node
    text: str
    #: The calls that led there, if that is known.
    path: tuple[ir.Node, ...] | None = field(default=None, compare=False)
    source: Source | None = field(default=None, compare=False)
    #: Whether it is that of what a module consists of, which goes where the module goes.
    is_state: bool = field(default=False, compare=False, kw_only=True)
    #: Programs are followed in the order in which they run: what came later has a higher number.
    order: int = field(default_factory=step, compare=False, kw_only=True)
    #: A test that was made on the way, and where the device came from where it was true, and where
    #: it was not.
    arms: tuple[Condition, Origin, Origin] | None = field(default=None, compare=False, kw_only=True)

    def given(self, test: Condition, truth: bool) -> Origin:
        """The origin on the paths where `test` came out as `truth`."""
        if self.arms is None:
            return self
        test, truth = test.upright(truth)
        asked, then, orelse = self.arms
        return self if asked != test else then if truth else orelse


def parted(
    shown: Origin | None, then: Origin | None, orelse: Origin | None, test: Hashable | None
) -> Origin | None:
    """The origin to be shown of two between which a test decides; one origin is all that is known
    of a device that is known on one side alone."""
    if shown is None or then is None or orelse is None:
        return shown or then or orelse
    if not isinstance(test, Condition) or then == orelse:
        return shown
    if test.is_negated:
        test, then, orelse = test.negated(), orelse, then
    return replace(shown, arms=(test, bare(then), bare(orelse)))


def bare(origin: Origin) -> Origin:
    """Only the last test is kept: programs have many."""
    return origin if origin.arms is None else replace(origin, arms=None)
