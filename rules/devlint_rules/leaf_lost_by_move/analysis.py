"""Leaves: tensors that gradients are kept for, and what is left of them after a move."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Literal

from devlint.api import (
    Analysis,
    Applying,
    Arguments,
    Assigned,
    AttributeRead,
    AttributeStored,
    Called,
    Calling,
    Created,
    Device,
    Ended,
    Kind,
    OptimizerMade,
    Problem,
    Run,
    Skipped,
    Tag,
    Transferred,
    Value,
    effect,
    ir,
    module_state,
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
    """Of a tensor that was made with `requires_grad=True`, or a parameter that no module has."""

    made: ir.Node
    is_parameter: bool


@dataclass(frozen=True, slots=True)
class Copy(Tag):
    """Of the copy of a leaf on another device, on some path: it requires gradients, and keeps
    none."""

    move: ir.Call
    made: ir.Node
    device: Device
    is_parameter: bool

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag | None:
        return self


class AutogradLeaves(Analysis[Run]):
    """Reports what programs do with the copies of leaves."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Where those leaves were made that optimizers hold, and those that anything else has.
        self.held: set[ir.Node] = set()
        self.kept: set[ir.Node] = set()
        #: Whether there are leaves at all that something may keep.
        self.has_leaves = False
        #: What leaves are bound to, as that is written.
        self.names: dict[ir.Node, set[str]] = {}
        #: Copies of parameters that a module has: it may get the parameter itself later.
        self.copies: list[tuple[Copy, ir.Node]] = []

    @on(Created)
    def create(self, signal: Created) -> Value | None:
        given = signal.call.arguments.keywords.get("requires_grad")
        if given is None or given.value.payload is not True:
            return None
        self.has_leaves = True
        return signal.value.tagged(Leaf(signal.call.node, False))

    @on(Called)
    def make(self, signal: Called) -> Value | None:
        """A parameter is a leaf, whatever it is made of."""
        if signal.callee.kind is Kind.CLASS:
            self.hand_on(signal.call.arguments)
        if not signal.makes_parameter:
            return None
        self.has_leaves = True
        return signal.value.untagged(Copy).tagged(Leaf(signal.call.node, True))

    @on(Calling)
    def call(self, signal: Calling) -> None:
        self.hand_on(signal.call.arguments)

    @on(Applying)
    def contain(self, signal: Applying) -> None:
        if isinstance(signal.fact, effect.Container):
            self.hand_on(signal.call.arguments)

    @on(Skipped)
    def skip(self, signal: Skipped) -> None:
        self.hand_on(signal.arguments)

    def hand_on(self, arguments: Arguments) -> None:
        """What is not in view may keep what it is given."""
        if self.has_leaves:
            for argument in arguments:
                self.keep(argument.value)

    def keep(self, value: Value) -> None:
        parts = module_state.parts(self.run, value, set())
        leaves = (part.tag(Leaf) for part in parts)
        self.kept.update(leaf.made for leaf in leaves if leaf is not None)

    @on(Transferred)
    def transfer(self, signal: Transferred) -> Value | None:
        """A tensor that was moved to an accelerator is another one."""
        node, before, device = signal.call.node, signal.before, signal.device
        leaf = before.tag(Leaf)
        if leaf is None or not device.is_accelerator or not before.device.is_cpu:
            return None
        return signal.value.tagged(Copy(node, leaf.made, device, leaf.is_parameter))

    @on(AttributeStored)
    def store(self, signal: AttributeStored) -> Value | None:
        """A parameter's copy becomes an attribute of the module, or the parameter itself does."""
        copy = signal.value.tag(Copy)
        if copy is not None and copy.is_parameter and self.is_of_layer(signal.whole):
            self.copies.append((copy, signal.site))
        if self.has_leaves:
            self.keep(signal.value)
        leaf = signal.value.tag(Leaf)
        return signal.value.untagged(Leaf) if leaf is not None and leaf.is_parameter else None

    def is_of_layer(self, whole: Value) -> bool:
        """Whether it is the module whose method runs."""
        receiver = self.run.frame.receiver
        is_own = receiver is not None and receiver.ref == whole.ref
        return is_own and self.run.frame.layer is not None and self.run.counts(self)

    @on(Ended)
    def end(self, signal: Ended) -> None:
        for copy, site in self.copies:
            if copy.made not in self.kept:
                self.lose(copy, site, "parameter")

    @on(Assigned)
    def assign(self, signal: Assigned) -> None:
        """The copy of a leaf takes its name."""
        for target, value in self.bound(signal):
            leaf, copy = value.tag(Leaf), value.tag(Copy)
            if leaf is not None:
                self.names.setdefault(leaf.made, set()).add(written(target))
            elif copy is not None and copy.made in self.held and self.replaces(target, copy):
                self.lose(copy, target, "built")  # The leaf is out of reach from here on.

    def bound(self, signal: Assigned) -> Iterator[tuple[ir.Expression, Value]]:
        """What a statement binds, one by one."""
        for target in signal.node.targets:
            parts = target.items if isinstance(target, ir.Display) else ()
            yield from (
                (each, self.run.evaluate(each)) for each in parts if isinstance(each, ir.Name)
            )
            if not parts:
                yield target, signal.value

    def replaces(self, target: ir.Expression, copy: Copy) -> bool:
        """Whether a leaf was bound to a target, by which nothing else comes to it in a loop."""
        name = written(target)
        is_another = name in self.names.get(copy.made, ()) and not self.run.loops
        return is_another or name == receiver(copy.move)

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
