"""Comparisons of devices with strings."""

from __future__ import annotations

from devlint.api import (
    Analysis,
    Argument,
    Comparing,
    Problem,
    Run,
    ir,
    is_certain_argument,
    named,
    on,
    written,
)


class DeviceComparisons(Analysis[Run]):
    """Reports where a `torch.device` is compared with a string: they are never equal."""

    @on(Comparing)
    def compare(self, signal: Comparing) -> None:
        node = signal.node
        if node.ops[0] not in ("==", "!="):
            return
        sides = (node.left, node.comparators[0])
        for device, other in (sides, sides[::-1]):
            text = other.value if isinstance(other, ir.Constant) else None
            if isinstance(text, str) and named(text) is not None and self.is_device(device):
                self.run.report(self, Problem(node, message(written(device), text)))

    def is_device(self, node: ir.Expression) -> bool:
        """Whether an expression is a `torch.device` for sure: `x.device` of what is a tensor."""
        if isinstance(node, ir.Call):
            return written(node.func) == "torch.device"
        if not isinstance(node, ir.Attribute) or node.name != "device":
            return False
        if not isinstance(node.value, ir.Name):
            return False
        whole = self.run.evaluate(node.value)
        return is_certain_argument(self.run, Argument(node.value, whole))


def message(device: str, text: str) -> str:
    kind = text.partition(":")[0]
    return (
        f"`{device}` is a `torch.device`, which equals no string: compare `{device}.type` with "
        f'`"{kind}"`'
    )
