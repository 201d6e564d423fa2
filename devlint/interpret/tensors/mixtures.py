"""Containers of tensors in different places: whoever goes through one comes to each of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from devlint.interpret.core.arguments import all_of
from devlint.interpret.core.containers import APART, items_of
from devlint.interpret.core.interpreter import Run
from devlint.values.device import UNKNOWN, Device
from devlint.values.instance import Present
from devlint.values.tags import Together
from devlint.values.value import NOTHING, Kind, Value

#: Tensors are looked for in pairs of pairs, and no deeper: a container may hold itself.
DEEP = 3


def apart(machine: Run, whole: Value) -> list[Value] | None:
    """The items of a container one by one, if tensors among them, or first in them, are in
    different places at once; None of any other."""
    if whole.kind is not Kind.CONTAINER or whole.device.is_known:
        return None
    items = [each.untagged(Present) for each in all_of(machine, whole)]
    devices = [place(machine, each) for each in items]
    is_mixed = any(one.excludes(other) for one, other in combinations(devices, 2))
    return items if is_mixed and len(items) <= APART else None


def place(machine: Run, item: Value, levels: int = DEEP) -> Device:
    """Where a tensor is, or the first one that a pair, say, holds."""
    if item.kind is Kind.TENSOR:
        return item.device
    held = items_of(machine, item) if item.kind is Kind.CONTAINER and levels else []
    found = (place(machine, each, levels - 1) for each in held if each.kind is not Kind.NUMBER)
    return next((each for each in found if each.is_known), UNKNOWN)


def tied(whole: Value, values: Sequence[Value]) -> Value:
    """A tuple or a list that tells where all of its values are, if these are, or pass for, tensors
    in one known place."""
    first = values[0] if values else NOTHING
    kinds = (Kind.TENSOR, Kind.UNKNOWN) if first.device.is_accelerator else (Kind.TENSOR,)
    is_one = all(each.kind in kinds and each.device == first.device for each in values)
    if not is_one or not first.device.is_known:
        return whole
    return whole.tagged(Together(first.device, first.origin))
