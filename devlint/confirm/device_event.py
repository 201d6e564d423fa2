"""What CUDA refuses while a program runs, and its exceptions; torch is not needed for them."""

from __future__ import annotations

from dataclasses import dataclass

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


class DeviceError(RuntimeError):
    """What CUDA would have raised."""


class ExportError(TypeError):
    """What `Tensor.numpy` would have raised."""
