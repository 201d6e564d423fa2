"""Where a device came from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from devlint.lower import ir
from devlint.values.condition import Condition
from devlint.values.device import DEPTH
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
        upright, is_so = test.upright(truth)
        asked, then, orelse = self.arms
        if asked == upright:
            return then if is_so else orelse
        if then.arms is None and orelse.arms is None:
            return self
        return replace(self, arms=(asked, then.given(test, truth), orelse.given(test, truth)))


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
    return replace(shown, arms=(test, within(then, DEPTH - 1), within(orelse, DEPTH - 1)))


def within(origin: Origin, depth: int) -> Origin:
    """Only the last tests are kept: programs have many."""
    if origin.arms is None:
        return origin
    if not depth:
        return replace(origin, arms=None)
    test, then, orelse = origin.arms
    return replace(origin, arms=(test, within(then, depth - 1), within(orelse, depth - 1)))
