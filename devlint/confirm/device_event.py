"""What happens where CUDA would have raised: a record, and CUDA's own exception."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from devlint.confirm.births import Birth, stack
from devlint.confirm.claim import claim_of, device_of


@dataclass(frozen=True, slots=True)
class EventOperand:
    device: str
    shape: tuple[int, ...]
    birth: Birth
    roots: tuple[Birth, ...]


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """`stack` has the line that crashes first; the operands are those on several devices."""

    kind: str
    message: str
    stack: Birth
    operands: tuple[EventOperand, ...]

    def births(self) -> list[str]:
        """Where operands come from, in words."""
        return [
            f"operand on {operand.device} {list(operand.shape)} was made at {path}:{line}"
            for operand in self.operands
            for path, line, _ in operand.birth[:1]
        ]


class DeviceError(RuntimeError):
    """What CUDA would have raised."""


class ExportError(TypeError):
    """What `Tensor.numpy` would have raised."""


@dataclass(slots=True)
class Record:
    """The device events of a run. `goes_on`: none of them raises, for all data is on the CPU."""

    goes_on: bool = False
    events: list[DeviceEvent] = field(default_factory=list)

    def refuse(
        self,
        kind: str,
        message: str,
        tensors: Iterable[Any] = (),
        error: type[Exception] = DeviceError,
    ) -> None:
        event = DeviceEvent(kind, message, stack(), tuple(map(_operand, tensors)))
        self.events.append(event)
        if self.goes_on:
            return
        raised = error(message)
        if hasattr(raised, "add_note"):  # Since Python 3.11.
            for words in event.births():
                raised.add_note(f"devlint: {words}")
        raise raised


def _operand(tensor: Any) -> EventOperand:
    claim = claim_of(tensor)
    birth, roots = (claim.birth, claim.roots) if claim else ((), ())
    return EventOperand(str(device_of(tensor)), tuple(tensor.shape), birth, roots)
