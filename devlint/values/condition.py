"""Conditions that tell branches apart: two with one key have one truth."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Condition:
    """`sense` says what the truth of `key` means for devices chosen at run time: 1 an accelerator
    is in use, -1 none is, 0 it is about devices in a way that is not understood, None it is not.

    `is_negated`: it is `not key`.
    """

    key: Hashable
    sense: int | None = field(default=None, compare=False)
    is_negated: bool = field(default=False, compare=False)
    #: Keeps alive what the key names by identity.
    holds: tuple[object, ...] = field(default=(), compare=False, repr=False)

    def negated(self) -> Condition:
        return replace(self, is_negated=not self.is_negated)

    def upright(self, truth: bool) -> tuple[Condition, bool]:
        """The same assumption about the key itself."""
        return (self.negated(), not truth) if self.is_negated else (self, truth)
