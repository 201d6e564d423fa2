"""Loaders out of view: a loop that moves a part of what they give shows that it is on the CPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from devlint.interpret.core import batches
from devlint.interpret.core.branch_conditions import last_word, path
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.containers import container
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import operations
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import names_device, source_name, words_of
from devlint.values.device import NAMES, Like
from devlint.values.instance import ItemKey
from devlint.values.source import Output
from devlint.values.value import Kind, Value

#: What gives data, by a word of the expression that is iterated over.
LOADER = re.compile(r"loader|data|batch|iter|(^|_)(dl|ds|train|val|valid|test)(_|$)", re.I)
#: What gives parts of a module, of a checkpoint or of one batch.
NO_LOADER = frozenset(
    "items keys values named_parameters parameters buffers named_buffers modules children "
    "named_modules named_children state_dict range".split()
)
MODEL = re.compile(
    r"(^|_)(model|net|network|classifier|backbone|encoder|decoder|generator|discriminator|critic"
    r"|[cr]nn|gan|lstm|gru|transformer|unet|resnet\d*|vgg\d*|bert)(_?\d|_[a-z]{1,4})?$",
    re.I,
)


def taken(machine: Run, loop: ir.For, value: Value) -> Value:
    """What a loop takes from its loader."""
    if not may_give(value) or not machine.once(is_loader, loop.iter):
        return value
    if machine.seeds.are_prepared:
        return value
    return batch(machine, loop, loop.target, value)


def may_give(value: Value) -> bool:
    return value.kind is Kind.CONTAINER or is_open(value)


def is_open(value: Value) -> bool:
    """Whether nothing is known of a value, or only that a caller gives it."""
    is_placed = any(not isinstance(atom, Like) for atom in value.device.possible())
    return value.kind is Kind.UNKNOWN and not is_placed


def batch(machine: Run, loop: ir.For, target: ir.Expression, value: Value) -> Value:
    """One item, or one from each of several iterables; those that the loop moves a part of."""
    if is_open(value) and not machine.once(moved, loop).isdisjoint(names(target)):
        return batches.batch(machine, target, "a loader")
    if value.kind is not Kind.CONTAINER or not isinstance(target, ir.Display):
        return value
    items = machine.instance(value.ref).items
    known = [items.get(ItemKey(i)) for i in range(len(target.items))]
    parts = [
        each and batch(machine, loop, part, each)
        for part, each in zip(target.items, known, strict=True)
    ]
    if len(items) != len(parts) or all(a is b for a, b in zip(parts, known, strict=True)):
        return value
    return container(machine, target, {ItemKey(i): p for i, p in enumerate(parts) if p})


def is_loader(node: ir.Expression) -> bool:
    words = words_of(node)
    return words.isdisjoint(NO_LOADER) and any(LOADER.search(word) for word in words)


def moved(loop: ir.For) -> frozenset[str]:
    """The names that a loop binds of whose values, or parts of them, it moves some."""
    sources = {name: name for name in names(loop.target)}
    found = set[str]()
    for statement in loop.body:
        for node in walk(statement):
            if isinstance(node, ir.Call) and (name := source_name(node)) in sources:
                if is_move(node, sources):
                    found.add(sources[name])
            elif isinstance(node, ir.Assign) and (name := source_name(node.value)) in sources:
                for target in node.targets:
                    sources |= dict.fromkeys(names(target), sources[name])
    return frozenset(found)


def is_move(node: ir.Call, sources: dict[str, str]) -> bool:
    """`x.cuda()`, `x.to(device)`, but not `x.to(y.device)` or `x.to(torch.float)`."""
    if not isinstance(node.func, ir.Attribute) or node.func.name not in ("cuda", "to"):
        return False
    if node.func.name == "cuda":
        return True
    named = [value for name, value in node.keywords if name == "device"]
    return any(is_device(each, sources) for each in [*named, *node.args[:1]])


def is_device(node: ir.Expression, sources: dict[str, str]) -> bool:
    if isinstance(node, ir.Constant):
        text = str(node.value).partition(":")[0]
        return isinstance(node.value, str) and text in NAMES - {"cpu", "meta"}
    return names_device(last_word(node)) and path(node)[0] not in sources


def names(target: ir.Expression) -> Iterator[str]:
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Starred):
        yield from names(target.value)
    elif isinstance(target, ir.Display):
        for item in target.items:
            yield from names(item)


def output(machine: Run, node: ir.Call, value: Value, arguments: Arguments) -> Value:
    """What a model out of view gives is where all of its inputs are, if they have been moved."""
    given = [a.value for a in arguments if operations.is_tensor(a.value)]
    if not given or not MODEL.search(last_word(node.func)):
        return value
    first = given[0]
    if first.origin is None or any(g.device != first.device for g in given):
        return value
    if not first.device.is_accelerator:
        return value
    return replace(value, device=first.device, origin=replace(first.origin, source=Output()))
