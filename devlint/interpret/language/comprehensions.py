"""Comprehensions: over what is known item by item, round by round; else one round for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from devlint.interpret.calls import special_methods
from devlint.interpret.calls.assignment import assign
from devlint.interpret.conditions import branch_conditions
from devlint.interpret.core.containers import container, element, sequence
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Frame
from devlint.interpret.core.signals import Comprehended
from devlint.interpret.language import rounds
from devlint.interpret.objects import inferred_batches
from devlint.interpret.tensors import mixtures
from devlint.lower import ir
from devlint.values.instance import ANY, ItemKey, Present, Unplaced
from devlint.values.tags import ParameterName
from devlint.values.value import Kind, Value


class Made(NamedTuple):
    """What a round gives; in a dict, under which key, if that is known, and whether that is the
    name of a parameter."""

    key: ItemKey | None
    value: Value
    is_named: bool = False


def comprehension(machine: Run, node: ir.Comprehension) -> Value:
    outer, clause = machine.frame, node.clauses[0]
    machine.frame = within(outer, node, 0)
    whole = special_methods.iterated(machine, machine.evaluate(clause.iter), clause.iter)
    known = rounds.apart(machine, whole)
    if known is None:
        item = element(machine, whole, clause.target)
        item = inferred_batches.taken(machine, node, whole, item)
        one = for_all(machine, node, item)
        items, is_named = {ANY: one.value}, one.is_named
    else:
        is_ordered = sequence(machine, whole) is not None
        items, is_named = unrolled(machine, node, outer, known, is_ordered=is_ordered), False
    machine.frame = outer
    made = mixtures.tied(container(machine, node, items), [*items.values()])
    if is_named:
        machine.store(made.ref, machine.instance(made.ref).tagged(ParameterName()))
    return made


def within(outer: Frame, node: ir.Node, number: int) -> Frame:
    """The frame of a round: what it makes is not what another one has made."""
    return Frame(
        parent=outer,
        path=(*outer.path, *[node] * number),
        receiver=outer.receiver,
        owner=outer.owner,
        layer=outer.layer,
        outer_names=outer.outer_names,
        yields=outer.yields,
    )


def for_all(machine: Run, node: ir.Comprehension, item: Value) -> Made:
    """One round that stands for all: no test of what is any of several items is decided."""

    def passes(test: ir.Expression) -> bool:
        machine.evaluate(test)
        condition = branch_conditions.condition(machine, test)
        machine.state = machine.assuming(machine.here(), condition)
        return True

    machine.frame.comprehension = node
    [found] = Rounds(machine, node, passes).one(item)
    return found


def unrolled(
    machine: Run, node: ir.Comprehension, outer: Frame, known: list[Value], *, is_ordered: bool
) -> dict[ItemKey, Value]:
    """What each of the rounds gives; an item that a test may leave out has no place of its own."""
    unsettled: list[ir.Expression] = []

    def passes(test: ir.Expression) -> bool:
        truth = machine.condition(test)
        if not isinstance(truth, bool):
            unsettled.append(test)
            machine.state = machine.assuming(machine.here(), truth)
        return truth is not False

    every = Rounds(machine, node, passes, unsettled)
    items: dict[ItemKey, Value] = {}
    for number, item in enumerate(known):
        machine.frame = within(outer, node, number)
        for found in every.one(item):
            is_placed = node.kind in ("list", "generator") and not unsettled
            place = len(items) if is_ordered else Unplaced(len(items))
            key = found.key or (ItemKey(place) if is_placed else ANY)
            is_sure = found.key is None or not unsettled
            value = found.value if is_sure else found.value.tagged(Present())
            items[key] = items[key].join(value) if key in items else value
    return items


@dataclass
class Rounds:
    """Those of a comprehension. `passes` tells whether a test lets an item through; `unsettled` is
    why it is not known which rounds there are, where items are told apart."""

    machine: Run
    node: ir.Comprehension
    passes: Callable[[ir.Expression], bool]
    unsettled: list[ir.Expression] | None = None

    def one(self, item: Value, index: int = 0) -> list[Made]:
        """What those rounds give that have an item for the target of a clause."""
        machine, clause = self.machine, self.node.clauses[index]
        start = machine.here()
        assign(machine, clause.target, item)
        found = self.below(index + 1) if all(map(self.passes, clause.conditions)) else []
        if machine.here() is not start:
            start.absorb([machine.here()], since=start)
            machine.state = start
        return found

    def below(self, index: int) -> list[Made]:
        """What the rounds of a clause, and of those behind it, give."""
        machine, outer = self.machine, self.machine.frame
        if index == len(self.node.clauses):
            return [made(machine, self.node)]
        clause = self.node.clauses[index]
        whole = special_methods.iterated(machine, machine.evaluate(clause.iter), clause.iter)
        known = None if self.unsettled is None else rounds.apart(machine, whole)
        if known is None:
            if self.unsettled is not None:
                self.unsettled.append(clause.iter)
            return self.one(element(machine, whole, clause.target), index)
        found: list[Made] = []
        for number, item in enumerate(known):
            machine.frame = within(outer, clause.iter, number)
            found += self.one(item, index)
        machine.frame = outer
        return found


def made(machine: Run, node: ir.Comprehension) -> Made:
    key = None if node.key is None else machine.evaluate(node.key)
    value = machine.revise(Comprehended(machine.evaluate(node.element), node))
    if key is None:
        return Made(None, value)
    place = ItemKey(key.payload) if key.kind is Kind.CONSTANT else None
    return Made(place, value, is_named=key.tag(ParameterName) is not None)
