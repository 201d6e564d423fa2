"""What CUDA refuses while a program runs, and its exceptions; torch is not needed for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from devlint.confirm.births import Birth


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


def plain(event: DeviceEvent) -> dict[str, Any]:
    """The event as what every format of data has; `from_plain` makes it one again."""
    return asdict(event)


def from_plain(event: dict[str, Any]) -> DeviceEvent:
    operands = [
        EventOperand(each["device"], tuple(each["shape"]), _birth(each["birth"]), _births(each))
        for each in event["operands"]
    ]
    return DeviceEvent(event["kind"], event["message"], _birth(event["stack"]), tuple(operands))


def _births(operand: dict[str, Any]) -> tuple[Birth, ...]:
    return tuple(map(_birth, operand["roots"]))


def _birth(frames: Iterable[Any]) -> Birth:
    return tuple((path, line, function) for path, line, function in frames)


class DeviceError(RuntimeError):
    """What CUDA would have raised; the `event` is not there where PyTorch raised it anew."""

    event: DeviceEvent | None = None


class ExportError(TypeError):
    """What `Tensor.numpy` would have raised."""

    event: DeviceEvent | None = None
