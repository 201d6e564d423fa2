"""Moves of tensors whose result nothing keeps."""

from __future__ import annotations

from collections.abc import Hashable, Set
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from devlint.api import (
    PARAMETER,
    UNKNOWN,
    Analysis,
    Batch,
    ClassInfo,
    Ended,
    Fix,
    Kind,
    Problem,
    Run,
    Transferring,
    Value,
    assign,
    assigned_back,
    ir,
    liveness,
    module_state,
    on,
    source_text,
    walk,
    written,
)

#: Tests of what something is.
TYPE_TESTS = frozenset({"isinstance", "is_tensor", "hasattr", "issubclass"})


class Site(NamedTuple):
    """A statement that moves its subject, in a body of statements."""

    statement: ir.Evaluate
    subject: ir.Expression
    body: ir.Block


class DiscardedMoves(Analysis[Run]):
    """Reports statements that move a tensor which is read later."""

    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Moves of what may be a tensor, with its object.
        self.open: list[tuple[Hashable, Problem]] = []

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        node, value = signal.call.node, signal.value
        site = self.site(node)
        if site is None or not (signal.device.is_known or "device" in dict(node.keywords)):
            return
        is_proven = self.is_tensor(value, site)
        if not is_proven and (value.ref is None or is_tested(site)):
            return
        use = self.read_later(site)
        if use is None and not isinstance(value.payload, module_state.PartOf):
            return
        found = problem(node, site, value, use)
        if is_proven:
            self.run.report(self, found)
            self.release(site, value)
        elif not self.run.tolerance:
            self.open.append((value.ref, found))

    def release(self, site: Site, value: Value) -> None:
        """It is told here, and not once more where the tensor meets others."""
        if not isinstance(site.subject, ir.Subscript):
            assign(self.run, site.subject, replace(value, device=UNKNOWN, origin=None))

    @on(Ended)
    def confirm(self, signal: Ended) -> None:
        """Report moves of what turned out to be tensors, by how the program uses them elsewhere."""
        for ref, found in self.open:
            if ref in self.run.tensors:
                self.run.report(self, found)

    def site(self, node: ir.Call) -> Site | None:
        statement = self.run.statement
        if statement is None or statement.value is not node:
            return None
        if not isinstance(node.func, ir.Attribute):
            return None
        subject = node.func.value
        if isinstance(subject, ir.Attribute) and subject.name == "data":
            subject = subject.value
        running = self.run.running[-1] if self.run.running else self.run.module
        if not isinstance(running, (ir.Def, ir.Module)):
            return None
        if not isinstance(whole_of(subject), ir.Name):
            return None
        return Site(statement, subject, running.body)

    def is_tensor(self, value: Value, site: Site) -> bool:
        if value.kind is not Kind.UNKNOWN:
            return value.kind is Kind.TENSOR
        if isinstance(self.run.instance(value.ref).type, ClassInfo):
            return False
        return (
            is_stacked(value)
            or is_declared(value)
            or is_batch_item(site.subject, self.run.libraries.tensors)
            or is_tensor_here(site)
        )

    def read_later(self, site: Site) -> ir.Node | None:
        """Where the tensor is read after the statement: here, or as an attribute elsewhere."""
        found = liveness.later_read(*site)
        if found is not None or isinstance(site.subject, ir.Name):
            return found
        whole = whole_of(site.subject)
        if not liveness.is_receiver(whole):
            return liveness.later_read(site.statement, whole, site.body)
        held = next(liveness.iterated(site.subject), None)
        return self.read_elsewhere(held) if isinstance(held, ir.Attribute) else None

    def read_elsewhere(self, held: ir.Attribute) -> ir.Node | None:
        text, here = source_text(held), self.run.running[-1] if self.run.running else None
        definitions = self.run.seeds.definitions
        others = [each for each in definitions if isinstance(each, ir.Def) and each is not here]
        reads = (liveness.read(each, text) for each in others if held.name in each.words)
        return next((found for found in reads if found is not None), None)


def problem(node: ir.Call, site: Site, value: Value, use: ir.Node | None) -> Problem:
    tensor, origin = written(site.subject), value.origin
    is_part = isinstance(value.payload, module_state.PartOf)
    is_kept = not is_part and value.payload != PARAMETER and not liveness.is_item(*site)
    return Problem(
        node,
        f"`{written(node)}` leaves `{tensor}` where it is: it gives a moved copy, which "
        "nothing keeps",
        () if origin is None else ((origin.node, f"`{tensor}`: {origin.text}"),),
        later=() if use is None else ((use, "read here, where it was before"),),
        fix=assignment(site.statement) if is_kept else None,
    )


def assignment(statement: ir.Evaluate) -> Fix:
    return Fix("assign the moved tensor back", (assigned_back(statement),), "unsafe")


def whole_of(node: ir.Expression) -> ir.Expression:
    """What `x.a` and `x["b"]` are a part of."""
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    return node


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


def is_batch_item(subject: ir.Expression, tensors: Set[str]) -> bool:
    """Whether it is called like a tensor in the batches of some library."""
    if liveness.is_receiver(whole_of(subject)):
        return False
    if isinstance(subject, ir.Subscript) and isinstance(subject.index, ir.Constant):
        return subject.index.value in tensors
    return isinstance(subject, ir.Attribute) and subject.name in tensors


def is_tensor_here(site: Site) -> bool:
    """Whether the statement is under a test that its subject is a tensor."""
    text = source_text(site.subject)
    around = pairwise(liveness.way(site.body, site.statement))
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
