"""Attributes that methods move each time they use them."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.facts.effect import Reads
from devlint.facts.table import method_fact
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.loop_moves import MOVES
from devlint.queries.name_conventions import is_self
from devlint.queries.placements import is_type


def moved_at_use(method: ir.Def) -> frozenset[str]:
    """The attributes of `self` that a method reads only to move them: `self.mask.to(x.device)`."""
    return frozenset(node.name for node in moves(method)) - used_as_they_are(method)


def used_as_they_are(method: ir.Def) -> frozenset[str]:
    """Those that it does more with than to move them, or to ask for what is the same on every
    device."""
    left = set(reads(method)) - set(asked(method)) - set(moves(method))
    return frozenset(node.name for node in left)


def reads(node: ir.Node) -> Iterator[ir.Attribute]:
    """The attributes of `self` in something, those that are assigned left out."""
    assigned = {t for each in walk(node) if isinstance(each, ir.Assign) for t in each.targets}
    for each in walk(node):
        if isinstance(each, ir.Attribute) and is_self(each.value) and each not in assigned:
            yield each


def moves(node: ir.Node) -> Iterator[ir.Attribute]:
    """Those of them that are moved at once, through `cast`, too, or by what is told a device."""
    for each in walk(node):
        match each:
            case ir.Call(func=ir.Attribute(value=whole, name=name)) if name in MOVES:
                if not converts(each):
                    yield from reads(whole)
            case ir.Call(args=given, keywords=named) if any(name == "device" for name, _ in named):
                for part in (*given, *(value for _, value in named)):
                    yield from reads(part)


def converts(call: ir.Call) -> bool:
    """Whether `.to(..)` is told nothing but a type of elements."""
    others = (is_type(value) for name, value in call.keywords if name != "dtype")
    return bool(call.args or call.keywords) and all((*map(is_type, call.args), *others))


def asked(node: ir.Node) -> Iterator[ir.Attribute]:
    """Those of them that are asked for a plain value, `self.mask.numel()`, or if they are None."""
    for each in walk(node):
        match each:
            case ir.Compare(ops=("is" | "is not",)):
                yield from reads(each)
            case ir.Call(func=ir.Attribute(value=whole, name=name)) if isinstance(
                method_fact(name), Reads
            ):
                yield from reads(whole)
