"""Batches out of view: who moves a part of what a loader gives, or what is given together, shows
that it is on the CPU."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devlint.interpret.core import batches
from devlint.interpret.core.containers import container
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries import loop_moves
from devlint.queries.destinations import destinations
from devlint.queries.dotted_names import last_word
from devlint.queries.name_conventions import names_device
from devlint.queries.partial_moves import Scope, partly_moved
from devlint.values.device import Like
from devlint.values.instance import ItemKey
from devlint.values.tags import Lasting
from devlint.values.value import Kind, Value


@dataclass(frozen=True, slots=True)
class Computed(Lasting):
    """Of what a call out of view gave that was told a device, or was given what may be on an
    accelerator: that call has decided where its parts are."""


def taken(run: Run, loop: loop_moves.Loop, whole: Value, value: Value) -> Value:
    """What a loop takes from its loader, which is no list of which no item is in view."""
    given = loop_moves.iterable(loop)
    if not may_give(value) or not run.once(loop_moves.may_be_loader, given):
        return value
    if run.seeds.are_prepared or is_bare(run, whole):
        return value
    if is_open(value) and (is_sibling(run, given) or is_unmoved_sibling(run, loop, whole)):
        return inferred(run, loop)
    return batch(run, loop, loop_moves.target(loop), value)


def inferred(run: Run, loop: loop_moves.Loop, target: ir.Expression | None = None) -> Value:
    """A batch, or a sample, for a target or the whole one of a loop."""
    node = loop_moves.target(loop) if target is None else target
    is_batch = run.once(loop_moves.takes_batches, loop)
    return batches.batch(run, node, batches.INFERRED if is_batch else "the loop")


def is_bare(run: Run, whole: Value) -> bool:
    return whole.kind is Kind.CONTAINER and not run.instance(whole.ref).items


def is_sibling(run: Run, given: ir.Expression) -> bool:
    """Whether it comes with loaders of which the program moves what they give."""
    known = run.once(loop_moves.siblings, run.module)
    return bool(known) and not known.isdisjoint(run.once(loop_moves.named_in, given))


def is_unmoved_sibling(run: Run, loop: loop_moves.Loop, whole: Value) -> bool:
    """Whether another loop of the function or the class moves the like of what a loop takes, both
    from where nobody sees it."""
    if not (whole.device.is_like or whole.kind is Kind.IMPORTED):
        return False
    return any(loop in run.once(loop_moves.unmoved_siblings, each) for each in scopes(run))


def scopes(run: Run) -> tuple[ir.Def | ir.Lambda | ir.Class | ir.Module, ...]:
    """The function that runs, or the program, and the class that it is of."""
    owner = run.frame.owner
    return (run.function or run.module, *([owner.node] if owner is not None else []))


def places(run: Run) -> frozenset[str]:
    """What the code around gives to moves as a device, as it is written."""
    return frozenset[str]().union(*(run.once(destinations, each) for each in scopes(run)))


def may_give(value: Value) -> bool:
    return value.kind is Kind.CONTAINER or is_open(value)


def is_open(value: Value) -> bool:
    """Whether nothing is known of a value, or only that a caller gives it."""
    is_placed = any(not isinstance(atom, Like) for atom in value.device.possible())
    return value.kind is Kind.UNKNOWN and not is_placed


def batch(run: Run, loop: loop_moves.Loop, target: ir.Expression, value: Value) -> Value:
    """One item, or one from each of several iterables; those that the loop moves a part of."""
    moved = run.once(loop_moves.Moved(places(run)), loop) if is_open(value) else frozenset()
    if not moved.isdisjoint(loop_moves.names(target)):
        return inferred(run, loop, target)
    if value.kind is not Kind.CONTAINER or not isinstance(target, ir.Display):
        return value
    items = run.instance(value.ref).items
    known = [items.get(ItemKey(i)) for i in range(len(target.items))]
    parts = [
        each and batch(run, loop, part, each)
        for part, each in zip(target.items, known, strict=True)
    ]
    if len(items) != len(parts) or all(a is b for a, b in zip(parts, known, strict=True)):
        return value
    return container(run, target, {ItemKey(i): p for i, p in enumerate(parts) if p})


def assigned(run: Run, node: ir.Assign, value: Value) -> Value:
    """What an assignment takes from where nobody sees it, of which a part is moved later."""
    if not is_open(value) or is_of_module(run.frame.owner) or value.tag(Computed) is not None:
        return value
    if is_computed(run, node.value):
        return value.tagged(Computed())
    scope = run.function or run.module
    found = (taken_together(run, scope, target) for target in node.targets)
    return next((each for each in found if each is not None), value)


def given(run: Run, function: Function, parameter: ir.Parameter, value: Value) -> Value:
    """What an argument is of which nothing is known, if the function moves a part of it."""
    if not is_open(value) or is_of_module(function.owner):
        return value
    return taken_together(run, function.node, parameter) or value


def is_of_module(owner: ClassInfo | None) -> bool:
    """Whether a class is one of modules: what those are given has been moved with them, as a rule,
    whatever they make sure of."""
    return owner is not None and owner.is_module


def taken_together(run: Run, scope: Scope, target: ir.Node) -> Value | None:
    """What a target of an assignment, or a parameter, takes, if a part of it is moved later."""
    moved = None if run.seeds.are_prepared else run.once(partly_moved, scope).get(target)
    if moved is None:
        return None
    made = batches.batch(run, target, batches.TOGETHER)
    assert made.origin is not None
    told = f"given along with `{moved}`, which is moved, on the CPU here"
    return replace(made, origin=replace(made.origin, text=told))


def is_computed(run: Run, node: ir.Expression) -> bool:
    """Whether what is called is given something that may be on an accelerator, or a device."""
    if not isinstance(node, ir.Call):
        return False
    given = (*node.args, *(value for _, value in node.keywords))
    if any(map(names_device, [name or "" for name, _ in node.keywords] + [*map(last_word, given)])):
        return True
    names = (part for each in given for part in walk(each) if isinstance(part, ir.Name))
    values = filter(None, (run.lookup(each.id) for each in names))
    return any(value.device.may_accelerate or is_fed(run, value) for value in values)


def is_fed(run: Run, value: Value) -> bool:
    """Whether it comes of what was put on an accelerator."""
    return any(like.source in run.notes.fed for like in value.device.likes)
