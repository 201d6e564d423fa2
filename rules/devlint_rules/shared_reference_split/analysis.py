"""One tensor that a container holds twice, and moves of that an item at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from devlint.api import (
    ANY,
    Analysis,
    Called,
    ChangedInPlace,
    Compared,
    Comprehended,
    Displayed,
    Instance,
    Kind,
    OptimizerMade,
    Problem,
    Run,
    Tag,
    Value,
    ir,
    last_word,
    loop_moves,
    on,
    source_text,
    written,
)

HOW = {
    "changed": "changed in place here",
    "compared": "compared here",
    "trained": "trained here",
}


@dataclass(frozen=True, slots=True)
class Repeats(Tag):
    """Of a container that holds the object called `name` more than once."""

    name: str
    is_tensor: bool


@dataclass(frozen=True, slots=True)
class Twin(Tag):
    """Of a tensor that on the CPU is the same as another one; both were moved at `node`."""

    node: ir.Node
    name: str
    is_tensor: bool


class SharedReferences(Analysis[Run]):
    """Reports what tells that one tensor has become two."""

    @on(Displayed)
    def pair(self, signal: Displayed) -> Value | None:
        """Items that move one tensor are twins; what holds one twice is remembered."""
        copies = [part for part in signal.parts if is_move(part)]
        texts = list(map(source_text, copies))
        repeated = [part for part, text in zip(copies, texts, strict=True) if texts.count(text) > 1]
        twins = {
            id(value): self.twin(signal.node, part.func.value, value)
            for part, value in zip(signal.parts, signal.values, strict=True)
            if part in repeated
            and isinstance(part, ir.Call)
            and isinstance(part.func, ir.Attribute)
        }
        if twins:
            instance = self.run.instance(signal.value.ref)
            items = {key: twins.get(id(item), item) for key, item in instance.items.items()}
            self.run.store(signal.value.ref, replace(instance, items=items))
        return self.remember(signal)

    def twin(self, node: ir.Node, moved: ir.Expression, value: Value) -> Value:
        before = self.run.evaluate(moved)
        is_copied = value.device.may_accelerate and not before.device.may_accelerate
        if not is_copied or value.kind not in (Kind.TENSOR, Kind.UNKNOWN):
            return value
        return value.tagged(Twin(node, written(moved), before.kind is Kind.TENSOR))

    def remember(self, signal: Displayed) -> Value | None:
        names = [part.id for part in signal.parts if isinstance(part, ir.Name)]
        name = next((name for name in names if names.count(name) > 1), None)
        value = self.run.lookup(name) if name is not None else None
        if name is None or value is None or value.kind not in (Kind.TENSOR, Kind.UNKNOWN):
            return None
        if value.device.may_accelerate:
            return None
        return signal.value.tagged(Repeats(name, value.kind is Kind.TENSOR))

    @on(Comprehended)
    def each(self, signal: Comprehended) -> Value | None:
        """`[t.to(device) for t in (x, x)]`."""
        node = signal.node
        if not is_move(node.element) or len(node.clauses) != 1:
            return None
        held = self.run.evaluate(node.clauses[0].iter).tag(Repeats)
        if held is None or not signal.value.device.may_accelerate:
            return None
        return signal.value.tagged(Twin(node, held.name, held.is_tensor))

    @on(Called)
    def move(self, signal: Called) -> Value | None:
        """`tree_map` moves what is in a container: it gives twins."""
        node = signal.call.node
        for argument in signal.call.arguments.positional:
            held = argument.value.tag(Repeats)
            if held is not None and last_word(node.func) == "tree_map":
                item = Value(tags=(Twin(node, held.name, held.is_tensor),))
                return self.run.make(node, Instance(items={ANY: item}), Kind.CONTAINER)
        return None

    @on(ChangedInPlace)
    def change(self, signal: ChangedInPlace) -> None:
        """A change shows in the other twin on the CPU, and on an accelerator it does not."""
        self.use(signal.value, signal.node, "changed")

    @on(Compared)
    def compare(self, signal: Compared) -> None:
        twin = signal.one.tag(Twin)
        if twin is not None and twin == signal.other.tag(Twin):
            self.use(signal.one, signal.node, "compared")

    @on(OptimizerMade)
    def train(self, signal: OptimizerMade) -> None:
        for part in signal.parts:
            self.use(part, signal.call.node, "trained")

    def use(
        self, value: Value, node: ir.Node, how: Literal["changed", "compared", "trained"]
    ) -> None:
        twin = value.tag(Twin)
        if twin is None or not (twin.is_tensor or how == "changed"):
            return
        message = (
            f"`{twin.name}` is moved twice: on the CPU both are one tensor, on an accelerator two, "
            f"and one of them is {how} later"
        )
        self.run.report(self, Problem(twin.node, message, later=((node, HOW[how]),)))


def is_move(node: ir.Expression) -> bool:
    """Whether it moves what has a name."""
    return (
        isinstance(node, ir.Call)
        and isinstance(node.func, ir.Attribute)
        and node.func.name in loop_moves.MOVES
        and isinstance(node.func.value, (ir.Name, ir.Attribute))
    )
