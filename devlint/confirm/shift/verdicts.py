"""Whether an event of a shifted call is a bug of the package, or of how the call was carried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from devlint.confirm.device_tags.carried import PHASE, is_built, is_made_in_this_call
from devlint.confirm.device_tags.device_event import DeviceEvent, EventOperand
from devlint.confirm.device_tags.provenance import Birth
from devlint.confirm.device_tags.tag import Claim, claim_of
from devlint.confirm.shift.carrying import Load
from devlint.confirm.shift.package import Package


class Judge:
    """Of the events of one call.

    What is on the CPU has to be the package's: made in the call, at the import of a module, or by
    the constructor of what the call moves. All else is what nobody carried. Where
    nothing is on the CPU, the line is to blame that asks for what only the CPU can do.
    """

    def __init__(self, package: Package, load: Load) -> None:
        self._package, self._load = package, load
        self._state: list[Claim] = []
        self._moved = -1  # How much was moved when the state was looked at.

    def is_the_packages(self, event: DeviceEvent, tensors: Sequence[Any]) -> bool:
        on_cpu = [each for each in event.operands if each.device == "cpu"]
        if not on_cpu:
            return self._asks_for_the_cpu(event)
        # Operands without a tensor come first: those are generators.
        first = len(event.operands) - len(tensors)
        claims = [None] * first + [claim_of(each) for each in tensors]
        pairs = zip(event.operands, claims, strict=True)
        return all(self._is_its(operand, claim) for operand, claim in pairs if operand in on_cpu)

    def _asks_for_the_cpu(self, event: DeviceEvent) -> bool:
        """In its own code, and of no argument that a user may well leave on the CPU."""
        if not self._package.has_made(event.stack):
            return False
        births = [each.birth for each in event.operands]
        return event.kind != "cpu-only" or all(map(self._package.has_made, births))

    def _is_its(self, operand: EventOperand, claim: Claim | None) -> bool:
        if claim is None:
            return self._package.has_made(operand.birth)
        if is_made_in_this_call(claim):
            roots = operand.roots or (operand.birth,)
            return self._package.has_made(operand.birth) and all(map(self._is_its_root, roots))
        if is_built(claim):
            return any(each is claim for each in self._built())
        return self._package.has_made_on_import(operand.birth)

    def _is_its_root(self, birth: Birth) -> bool:
        if birth in PHASE.births or self._package.has_made_on_import(birth):
            return self._package.has_made(birth)
        return any(birth in (each.birth, *each.roots) for each in self._built())

    def _built(self) -> list[Claim]:
        """The claims that constructors have left on the CPU in what was moved."""
        moved = len(self._load.movable)
        if moved != self._moved:
            claims = map(claim_of, self._load.state())
            self._state = [each for each in claims if each and is_built(each)]
            self._moved = moved
        return self._state
