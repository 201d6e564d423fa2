"""What says that the subject of a statement is a tensor, or that it may be something else."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Set
from itertools import pairwise

from devlint.api import (
    ANY,
    Child,
    ClassInfo,
    Condition,
    Kind,
    Run,
    Value,
    compared_by_losses,
    ir,
    is_stacked,
    key_of,
    liveness,
    source_text,
    walk,
    written,
)
from devlint_rules.discarded_move.aliases import referred
from devlint_rules.discarded_move.site import Site, whole_of

#: Attributes that tensors may be given.
OF_TENSORS = frozenset({"data", "grad", "requires_grad"})
#: Tests of what something is.
TYPE_TESTS = frozenset({"isinstance", "is_tensor", "hasattr", "issubclass"})


def is_tensor(run: Run, value: Value, site: Site) -> bool:
    """Whether it certainly is: what is given attributes is rather a record of tensors."""
    return passes_for_tensor(run, value, site) and not has_attributes(run, site)


def passes_for_tensor(run: Run, value: Value, site: Site) -> bool:
    if value.kind is not Kind.UNKNOWN:
        return value.kind is Kind.TENSOR
    if isinstance(run.instance(value.ref).type, ClassInfo):
        return False
    return (
        is_stacked(value.source)
        or is_declared(value)
        or any(is_batch_item(name, run.libraries.tensors) for name in site.names)
        or is_tensor_here(run, site)
        or not run.once(compared_by_losses, site.owner).isdisjoint(map(written, site.names))
    )


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


def is_tensor_here(run: Run, site: Site) -> bool:
    """Whether the statement is under a test that its subject is a tensor."""
    around = pairwise(site.body.way(site.statement))
    branches = [(outer.block[outer.position], inner.block) for outer, inner in around]
    tests = [b.test for b, inner in branches if isinstance(b, ir.If) and inner is b.body]
    proofs = {proof for name in site.names for proof in tensor_tests(key_of(run, name))}
    return any(tested(run, part) in proofs for test in tests for part in conjuncts(test))


def conjuncts(test: ir.Expression) -> tuple[ir.Expression, ...]:
    return test.values if isinstance(test, ir.Logic) and test.op == "and" else (test,)


def tensor_tests(subject: Hashable) -> Iterator[Hashable]:
    """The keys of `isinstance(x, torch.Tensor)` and `torch.is_tensor(x)`."""
    yield "()", "torch.is_tensor", subject
    for type_ in ("Tensor", "torch.Tensor"):
        yield "()", "isinstance", subject, type_


def tested(run: Run, test: ir.Expression) -> Hashable:
    """The key of a test, or of that which a name stands for."""
    value = referred(run, test)
    named = value.payload if value is not None else None
    return named.key if isinstance(named, Condition) else key_of(run, test)


def is_tested(run: Run, site: Site) -> bool:
    """Whether the code around tells by tests what its subject is: it may be several things."""
    return not run.once(tested_texts, site.owner).isdisjoint(map(source_text, site.names))


def tested_texts(owner: ir.Def | ir.Module) -> frozenset[str]:
    """What a body tests the type of."""
    calls = (
        each for statement in owner.body for each in walk(statement) if isinstance(each, ir.Call)
    )
    return frozenset(
        source_text(each.args[0])
        for each in calls
        if each.args and written(each.func).rpartition(".")[2] in TYPE_TESTS
    )


def has_attributes(run: Run, site: Site) -> bool:
    """Whether the code around gives its subject attributes that tensors do not have."""
    return not run.once(given_attributes, site.owner).isdisjoint(map(source_text, site.names))


def given_attributes(owner: ir.Def | ir.Module) -> frozenset[str]:
    """What a body gives attributes that tensors do not have."""
    assigned = (n for s in owner.body for n in walk(s) if isinstance(n, ir.Assign))
    return frozenset(
        source_text(target.value)
        for each in assigned
        for target in each.targets
        if isinstance(target, ir.Attribute) and target.name not in OF_TENSORS
    )


def is_of_tensors(ref: Hashable, tensors: Set[Hashable]) -> bool:
    """Whether it is any item of what has some that are tensors."""
    whole = held_by(ref)
    return whole is not None and any(isinstance(t, Child) and t.parent == whole for t in tensors)


def is_beside(ref: Hashable, others: Set[Hashable]) -> bool:
    """Whether it is an item of what has been taken apart, as one of the others is."""
    if not isinstance(ref, Child) or ref.key == ANY:
        return False
    return any(isinstance(each, Child) and each.parent == ref.parent for each in others)


def held_by(ref: Hashable) -> Hashable:
    """What an object is any item of, as the items of a loop are, or a part of one."""
    while isinstance(ref, Child):
        if ref.key == ANY:
            return ref.parent
        ref = ref.parent
    return None


def is_in_each_round(site: Site) -> bool:
    """Whether a loop, or a comprehension, comes to the move with all that it takes."""
    if site.clauses:
        return not any(each.conditions for each in site.clauses)
    *_, (block, index, around) = site.body.way(site.statement)
    before = (node for each in block[:index] for node in walk(each))
    return isinstance(around, ir.For) and not any(isinstance(node, ir.Continue) for node in before)
