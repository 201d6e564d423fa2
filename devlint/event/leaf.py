"""Leaves of the autograd graph, and the copies that moves make of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from devlint.lower import ir
from devlint.values.device import Device


@dataclass(frozen=True, slots=True, eq=False)
class LostLeaf:
    """A move took a leaf to `device`, and what the program goes on with is no leaf.

    `use` shows it: a module keeps the copy as its `parameter`, an optimizer that was `built`
    before has the leaf, one that is `given` the copy refuses it, or its `gradient` is read.
    `made` is where the leaf was.
    """

    node: ir.Node
    made: ir.Node
    use: ir.Node
    device: Device
    how: Literal["parameter", "built", "given", "gradient"]
