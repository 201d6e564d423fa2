"""Moves of tensors whose result nothing keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from devlint.event import DiscardedMove
from devlint.facts.tensors import BATCH_ITEMS, SCHEDULER_ITEMS
from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.language.statements import assign
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.liveness import is_item, is_receiver, iterated, later_read, read, way
from devlint.queries.name_conventions import source_text, written
from devlint.values.device import UNKNOWN, Device
from devlint.values.source import Batch
from devlint.values.value import PARAMETER, Kind, Value

#: Tests of what something is.
TYPE_TESTS = frozenset({"isinstance", "is_tensor", "hasattr", "issubclass"})


class Site(NamedTuple):
    """A statement that moves its subject, in a body of statements."""

    statement: ir.Evaluate
    subject: ir.Expression
    body: ir.Block


def note(machine: Run, node: ir.Call, value: Value, device: Device) -> None:
    """A move of `value` is a statement: say so if that is a tensor which is read later."""
    site = site_of(machine, node)
    if site is None or not (device.is_known or "device" in dict(node.keywords)):
        return
    is_proven = is_tensor(machine, value, site)
    if not is_proven and (value.ref is None or is_tested(site)):
        return
    use = read_later(machine, site)
    is_part = isinstance(value.payload, module_state.PartOf)
    if use is None and not is_part:
        return
    is_parameter = is_part or value.payload == PARAMETER
    is_kept = not is_parameter and not is_item(*site)
    how, keeper = written(node), site.statement if is_kept else None
    event = DiscardedMove(node, written(site.subject), how, value.origin, use, keeper)
    if is_proven:
        machine.emit(event)
        # Said here, and not once more where the tensor meets others.
        if not isinstance(site.subject, ir.Subscript):
            assign(machine, site.subject, replace(value, device=UNKNOWN, origin=None))
    elif not machine.tolerance:
        machine.notes.discards.append((value.ref, event))


def confirmed(machine: Run) -> Iterator[DiscardedMove]:
    """The moves of what turned out to be tensors, by how the program uses them elsewhere."""
    return (event for ref, event in machine.notes.discards if ref in machine.tensors)


def site_of(machine: Run, node: ir.Call) -> Site | None:
    assert isinstance(node.func, ir.Attribute)
    subject = node.func.value
    if isinstance(subject, ir.Attribute) and subject.name == "data":
        subject = subject.value
    running = machine.running[-1] if machine.running else machine.module
    if machine.statement is None or not isinstance(running, (ir.Def, ir.Module)):
        return None
    if not isinstance(whole_of(subject), ir.Name):
        return None
    return Site(machine.statement, subject, running.body)


def whole_of(node: ir.Expression) -> ir.Expression:
    """What `x.a` and `x["b"]` are a part of."""
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    return node


def is_tensor(machine: Run, value: Value, site: Site) -> bool:
    if value.kind is not Kind.UNKNOWN:
        return value.kind is Kind.TENSOR
    if isinstance(machine.instance(value.ref).type, ClassInfo):
        return False
    return (
        is_stacked(value)
        or is_declared(value)
        or is_batch_item(site.subject)
        or is_tensor_here(site)
    )


def is_stacked(value: Value) -> bool:
    """Whether a loader has made tensors of all that it gives."""
    return isinstance(value.source, Batch) and value.source.is_stacked


def is_declared(value: Value) -> bool:
    """Whether it is an argument that is annotated as PyTorch's own tensor, `Optional` or not: a
    tensor of another library may move in place."""
    if not isinstance(value.ref, ir.Parameter):
        return False
    note = value.ref.annotation
    if isinstance(note, ir.Subscript) and written(note.value).endswith("Optional"):
        note = note.index
    if isinstance(note, ir.Binary) and isinstance(note.right, ir.Constant):
        note = note.left
    return note is not None and written(note) in ("Tensor", "torch.Tensor")


def is_batch_item(subject: ir.Expression) -> bool:
    if isinstance(subject, ir.Attribute) and written(subject.value).endswith("scheduler"):
        return subject.name in SCHEDULER_ITEMS
    if is_receiver(whole_of(subject)):
        return False
    if isinstance(subject, ir.Subscript) and isinstance(subject.index, ir.Constant):
        return subject.index.value in BATCH_ITEMS
    return isinstance(subject, ir.Attribute) and subject.name in BATCH_ITEMS


def is_tensor_here(site: Site) -> bool:
    """Whether the statement is under a test that its subject is a tensor."""
    text = source_text(site.subject)
    around = pairwise(way(site.body, site.statement))
    branches = [(block[index], inner) for (block, index), (inner, _) in around]
    tests = [b.test for b, inner in branches if isinstance(b, ir.If) and inner is b.body]
    return any(says_tensor(part, text) for test in tests for part in conjuncts(test))


def conjuncts(test: ir.Expression) -> tuple[ir.Expression, ...]:
    return test.values if isinstance(test, ir.Logic) and test.op == "and" else (test,)


def says_tensor(test: ir.Expression, text: str) -> bool:
    """`isinstance(x, torch.Tensor)` or `torch.is_tensor(x)`."""
    if not isinstance(test, ir.Call) or not test.args or source_text(test.args[0]) != text:
        return False
    if written(test.func) == "torch.is_tensor":
        return True
    is_test = written(test.func) == "isinstance" and len(test.args) == 2
    return is_test and written(test.args[1]) in ("Tensor", "torch.Tensor")


def is_tested(site: Site) -> bool:
    """Whether the code around tells by tests what its subject is: it may be several things."""
    text = source_text(site.subject)
    return any(
        isinstance(each, ir.Call)
        and written(each.func).rpartition(".")[2] in TYPE_TESTS
        and bool(each.args)
        and source_text(each.args[0]) == text
        for statement in site.body
        for each in walk(statement)
    )


def read_later(machine: Run, site: Site) -> ir.Node | None:
    """Where the tensor is read after the statement: here, or as an attribute elsewhere."""
    found = later_read(*site)
    if found is not None or isinstance(site.subject, ir.Name):
        return found
    whole = whole_of(site.subject)
    if not is_receiver(whole):
        return later_read(site.statement, whole, site.body)
    held = next(iterated(site.subject), None)
    return elsewhere(machine, held) if isinstance(held, ir.Attribute) else None


def elsewhere(machine: Run, held: ir.Attribute) -> ir.Node | None:
    text = source_text(held)
    here = machine.running[-1] if machine.running else None
    others = [d for d in machine.seeds.definitions if isinstance(d, ir.Def) and d is not here]
    reads = (read(each, text) for each in others if held.name in each.words)
    return next((found for found in reads if found is not None), None)
