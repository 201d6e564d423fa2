"""Which programs may put something on an accelerator."""

from __future__ import annotations

from devlint.lower import ir
from devlint.lower.walk import imports, packages, walk
from devlint.queries.dotted_names import last_word
from devlint.values.device import ACCELERATORS


def may_place(module: ir.Module, movers: frozenset[str]) -> bool:
    """Whether a program may, by its text, or by packages that are `movers` of what they are given.
    To put something where an argument is (`device=x.device`) does not bring it there, nor does to
    convert it (`x.to(torch.float64)`)."""
    if not ACCELERATORS.isdisjoint(module.words):
        return True
    if not movers.isdisjoint(packages(imports(module))):
        return True
    return any(map(is_placement, walk(module)))


def is_placement(node: ir.Node) -> bool:
    """Whether an expression names an accelerator or a device, or moves to one."""
    if isinstance(node, ir.Constant):
        return isinstance(node.value, str) and node.value.partition(":")[0] in ACCELERATORS
    if not isinstance(node, ir.Call):
        return False
    given = [value for name, value in node.keywords if name == "device"]
    if last_word(node.func) == "to":
        given += node.args
    is_device = last_word(node.func) == "device"
    return is_device or not all(is_type(each) or is_device_of(each) for each in given)


def is_type(node: ir.Expression) -> bool:
    """Whether something is the type of elements: `x.dtype`, `torch.float64`."""
    if last_word(node) == "dtype":
        return True
    return isinstance(node, ir.Attribute) and last_word(node.value) == "torch"


def is_device_of(node: ir.Expression) -> bool:
    return isinstance(node, ir.Attribute) and node.name == "device"
