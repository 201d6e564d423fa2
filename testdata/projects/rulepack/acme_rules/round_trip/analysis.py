"""Copies on the CPU of what is on an accelerator, and which of them have been changed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from devlint.api import (
    Analysis,
    Cell,
    ChangedInPlace,
    Kind,
    Problem,
    Run,
    Tag,
    Transferred,
    Value,
    ir,
    on,
)


@dataclass(frozen=True, slots=True)
class Offloaded(Tag):
    """Of a tensor that the call `copy` has copied from an accelerator to the CPU."""

    copy: ir.Node


@dataclass(frozen=True, slots=True)
class Changed(Cell):
    """A cell: the copies that have been changed in place on some path."""

    copies: frozenset[ir.Node] = frozenset()

    def join(self, other: Changed, test: Hashable | None = None) -> Changed:
        return Changed(self.copies | other.copies)


class RoundTrips(Analysis[Run]):
    """Reports the copies that go back to an accelerator as they came."""

    def changed(self) -> frozenset[ir.Node]:
        """The copies that have been changed on some path to here."""
        cell = self.run.here().get(RoundTrips)
        return cell.copies if isinstance(cell, Changed) else frozenset()

    @on(Transferred)
    def transfer(self, signal: Transferred) -> Value | None:
        """Tag a copy to the CPU; report one that goes back."""
        before, node = signal.before, signal.call.node
        is_offloaded = before.device.is_accelerator and signal.device.is_cpu
        if before.kind is Kind.TENSOR and is_offloaded:
            return signal.value.tagged(Offloaded(node))
        tag = before.tag(Offloaded)
        if tag is not None and signal.device.is_accelerator and tag.copy not in self.changed():
            message = "a tensor goes back to an accelerator, unchanged since it was copied from one"
            related = ((tag.copy, "copied to the CPU here"),)
            self.run.report(self, Problem(node, message, related))
        return None

    @on(ChangedInPlace)
    def change(self, signal: ChangedInPlace) -> None:
        """Remember that what goes back is not what came."""
        tag = signal.value.tag(Offloaded)
        if tag is not None:
            self.run.here().put(RoundTrips, Changed(self.changed() | {tag.copy}))
