"""Sums and lists that keep the losses of all steps."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from devlint.api import (
    Analysis,
    Argument,
    Augmented,
    Call,
    Calling,
    Ended,
    Kind,
    LoopPlaces,
    Made,
    Problem,
    Run,
    Tag,
    Value,
    ir,
    on,
    possible_objects,
    walk,
    written,
)


@dataclass(frozen=True, slots=True)
class Summed(Tag):
    """Of a value to which these augmented assignments have added something."""

    sums: frozenset[ir.Node] = frozenset()

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag:
        return Summed(self.sums | other.sums) if isinstance(other, Summed) else self


@dataclass(slots=True, eq=False)
class Kept:
    """A `loss` that a `total` takes in, both as written, in a loop; `numbers` are those of the
    losses, and `is_lasting` says whether the total is the same in the next round."""

    total: str
    loss: str
    loop: ir.Node
    numbers: set[int] = field(default_factory=set)
    is_lasting: bool = False


class LossHistories(Analysis[Run]):
    """Reports what keeps losses whose graphs have served."""

    needs = (LoopPlaces,)

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.places = run.analysis(LoopPlaces)
        self.kept: dict[ir.Node, Kept] = {}
        #: Of each `backward` call in a loop, the numbers of what it is called for.
        self.backwards: dict[tuple[ir.Call, ir.Node], set[int]] = {}
        #: Values that `detach_` has taken the history off, and sums that went backward themselves.
        self.cut: set[int] = set()
        self.used: set[ir.Node] = set()

    @on(Augmented)
    def augment(self, signal: Augmented) -> Value | None:
        node, before = signal.node, signal.before.tag(Summed) or Summed()
        kept = self.keep(node, node.target, Argument(node.value, signal.added))
        if kept is None:
            return None
        kept.is_lasting |= node in before.sums
        return signal.value.tagged(Summed(before.sums | {node}))

    @on(Calling)
    def call(self, signal: Calling) -> None:
        call, func = signal.call, signal.call.node.func
        if call.name == "append" and isinstance(func, ir.Attribute):
            self.append(call, func.value)
        elif call.name == "backward":
            self.differentiate(call)
        elif call.name == "detach_":
            self.cut.add(self.run.number_of(call.receiver))

    def append(self, call: Call, total: ir.Expression) -> None:
        given = next(iter(call.arguments), None)
        kept = self.keep(call.node, total, given) if given is not None else None
        if kept is not None:
            kept.is_lasting |= not is_made_in(kept.loop, call.receiver)

    def keep(self, node: ir.Node, total: ir.Expression, given: Argument) -> Kept | None:
        """A value is added to another, or put into a list."""
        place, value = self.places.here(node), given.value
        if place.loop is None or not place.has_gradients or not self.run.counts(self):
            return None
        if value.kind is not Kind.TENSOR or not value.device.may_accelerate:
            return None
        made = Kept(written(total), written(given.node), place.loop)
        kept = self.kept.setdefault(node, made)
        kept.numbers.add(self.run.number_of(value))
        return kept

    def differentiate(self, call: Call) -> None:
        value, loop = differentiated(call), self.places.here(call.node).loop
        self.used |= (value.tag(Summed) or Summed()).sums
        if loop is not None:
            numbers = self.backwards.setdefault((call.node, loop), set())
            numbers.add(self.run.number_of(value))

    @on(Ended)
    def end(self, signal: Ended) -> None:
        for node, kept in self.kept.items():
            backward = self.backward_of(kept)
            if kept.is_lasting and node not in self.used and backward is not None:
                self.run.report(self, problem(node, kept, backward))

    def backward_of(self, kept: Kept) -> ir.Call | None:
        """The call in the same loop that ends the history of a loss which is kept on."""
        losses = kept.numbers - self.cut
        calls = ((call, loop) for (call, loop), n in self.backwards.items() if losses & n)
        return next((call for call, loop in calls if loop is kept.loop), None)


def differentiated(call: Call) -> Value:
    """`accelerator.backward(loss)` is given the loss that `loss.backward()` belongs to."""
    given = next(iter(call.arguments), None)
    is_given = given is not None and call.receiver.kind is not Kind.TENSOR
    return given.value if given is not None and is_given else call.receiver


def is_made_in(loop: ir.Node, value: Value) -> bool:
    """Whether each round of a loop makes the object anew."""
    inner = set(walk(loop))
    return any(
        not inner.isdisjoint((ref.node, *ref.path)) if isinstance(ref, Made) else ref in inner
        for ref in possible_objects(value.ref)
    )


def problem(node: ir.Node, kept: Kept, backward: ir.Call) -> Problem:
    return Problem(
        node,
        f"`{kept.total}` keeps `{kept.loss}` of every step, and with it the graph of the step: "
        "take `.detach()` of it",
        ((backward, f"the graph of `{kept.loss}` has served here"),),
    )
