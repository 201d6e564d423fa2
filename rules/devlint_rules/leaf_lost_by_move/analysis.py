"""Leaves: tensors that gradients are kept for, and what is left of them after a move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from devlint.api import (
    PARAMETER,
    Analysis,
    Assigned,
    AttributeRead,
    Created,
    Device,
    OptimizerMade,
    Problem,
    Run,
    Tag,
    Transferred,
    Value,
    ir,
    is_self,
    on,
    written,
)

#: How it shows: a module keeps the copy as its `parameter`, an optimizer that was `built` before
#: has the leaf, one that is `given` the copy refuses it, or its `gradient` is read.
How = Literal["parameter", "built", "given", "gradient"]

RESULTS: dict[How, str] = {
    "parameter": "this is no parameter once it is moved: the module does not register it, and no "
    "optimizer gets it",
    "built": "the optimizer holds the tensor from before this move and trains that one, while the "
    "program goes on with its copy",
    "given": "an optimizer takes no copy of a leaf: it raises where this move makes one",
    "gradient": "the gradient goes to the tensor from before this move: that of its copy is None",
}
USES: dict[How, str] = {
    "parameter": "assigned here",
    "built": "bound to the copy here",
    "given": "handed to the optimizer here",
    "gradient": "its gradient is read here",
}


@dataclass(frozen=True, slots=True)
class Leaf(Tag):
    """Of a tensor that was made with `requires_grad=True`."""

    made: ir.Node


@dataclass(frozen=True, slots=True)
class Copy(Tag):
    """Of the copy of a leaf on another device: it requires gradients, and keeps none."""

    move: ir.Call
    made: ir.Node
    device: Device
    is_parameter: bool


class AutogradLeaves(Analysis[Run]):
    """Reports what programs do with the copies of leaves."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Where those leaves were made that optimizers hold.
        self.held: set[ir.Node] = set()

    @on(Created)
    def create(self, signal: Created) -> Value | None:
        given = signal.call.arguments.keywords.get("requires_grad")
        if given is None or given.value.payload is not True:
            return None
        return signal.value.tagged(Leaf(signal.call.node))

    @on(Transferred)
    def transfer(self, signal: Transferred) -> Value | None:
        """A tensor that was moved to an accelerator is another one."""
        node, before, device = signal.call.node, signal.before, signal.device
        if not device.is_accelerator or before.device.may_accelerate:
            return None
        leaf = before.tag(Leaf)
        if leaf is not None:
            return signal.value.tagged(Copy(node, leaf.made, device, False))
        if not isinstance(node.func, ir.Attribute) or not isinstance(node.func.value, ir.Call):
            return None
        if before.payload != PARAMETER:
            return None
        return signal.value.tagged(Copy(node, node.func.value, device, True))

    @on(Assigned)
    def assign(self, signal: Assigned) -> None:
        """A parameter's copy becomes an attribute; the copy of a leaf takes its name."""
        copy = signal.value.tag(Copy)
        if copy is None or not isinstance(signal.node.value, ir.Call):
            return
        for target in signal.node.targets:
            if copy.is_parameter:
                is_own = isinstance(target, ir.Attribute) and is_self(target.value)
                if is_own and self.run.frame.layer:
                    self.lose(copy, target, "parameter")
            elif copy.made in self.held and written(target) == receiver(copy.move):
                self.lose(copy, target, "built")  # The leaf is out of reach from here on.

    @on(OptimizerMade)
    def optimize(self, signal: OptimizerMade) -> None:
        """An optimizer takes hold of leaves, and of nothing else."""
        for part in signal.parts:
            leaf, copy = part.tag(Leaf), part.tag(Copy)
            if leaf is not None:
                self.held.add(leaf.made)
            elif copy is not None:
                self.lose(copy, signal.call.node, "given")

    @on(AttributeRead)
    def read(self, signal: AttributeRead) -> None:
        """The gradient of the copy of a leaf is None."""
        copy = signal.whole.tag(Copy) if signal.node.name == "grad" else None
        if copy is not None and "retain_grad" not in self.run.module.words:
            self.lose(copy, signal.node, "gradient")

    def lose(self, copy: Copy, use: ir.Node, how: How) -> None:
        message = f"{RESULTS[how]} (it is moved to {copy.device})"
        made, used = ((copy.made, "made here"),), ((use, USES[how]),)
        self.run.report(self, Problem(copy.move, message, made, later=used))


def receiver(move: ir.Call) -> str:
    """What is moved, as it is written."""
    return written(move.func.value) if isinstance(move.func, ir.Attribute) else ""
