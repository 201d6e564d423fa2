"""What the text of a class says of how its methods treat its attributes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from itertools import chain

from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.modules.module_methods import STATE, STRUCTURE
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.dotted_names import path
from devlint.queries.loop_moves import MOVES
from devlint.queries.name_conventions import is_self, names_device, names_use, written
from devlint.queries.tensor_evidence import parts

#: Methods that modules have, and tensors do not.
OF_MODULES = STATE | STRUCTURE | {"eval", "train"}


def called(owner: ClassInfo) -> frozenset[str]:
    """The attributes that methods of a class call, or ask for what modules have."""
    calls = (node for node in walk(owner.node) if isinstance(node, ir.Call))
    found = (path(call.func) for call in calls)
    return frozenset(
        names[1]
        for names in found
        if names[:1] == ["self"] and len(names) > 1 and is_of_module(names)
    )


def is_of_module(names: list[str]) -> bool:
    """Whether an attribute of `self` is called itself, or by a method that modules have."""
    return len(names) == 2 or names_use(names[-1]) or names[-1] in OF_MODULES


def moved(owner: ClassInfo) -> frozenset[str]:
    """The attributes that methods of a class move and keep: `self.x = self.x.to(device)`, or item
    by item."""
    found = set[str]()
    for node in walk(owner.node):
        if isinstance(node, ir.For):
            found |= moved_items(node)
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Call):
            *whole, last = path(node.value.func) or [""]
            is_own = whole[:1] == ["self"] and len(whole) == 2 and last in MOVES
            if is_own and any(path(target) == whole for target in node.targets):
                found.add(whole[1])
    return frozenset(found)


def moved_items(loop: ir.For) -> set[str]:
    """The attributes whose items, or items of those, a loop over them moves:
    `for key, y in self.x.items(): self.x[key] = y.to(device)`."""
    found = set[str | None]()
    for node in walk(loop):
        match node:
            case ir.Assign(targets=targets, value=ir.Call(func=ir.Attribute(name=how))):
                found.update(map(holder, targets if how in MOVES else ()))
    return {e.name for e in walk(loop.iter) if isinstance(e, ir.Attribute) and e.name in found}


def holder(target: ir.Expression) -> str | None:
    """The attribute of `self` in which, however deep, an item is assigned."""
    is_item = isinstance(target, ir.Subscript)
    while isinstance(target, ir.Subscript):
        target = target.value
    is_own = is_item and isinstance(target, ir.Attribute) and is_self(target.value)
    return target.name if is_own and isinstance(target, ir.Attribute) else None


def only_changed(method: ir.Def) -> frozenset[str]:
    """The attributes of `self` that a method assigns in no other way than by `self.x += ..`."""
    changed, assigned = set[str](), set[str]()
    for node in walk(method):
        if isinstance(node, ir.AugmentedAssign):
            whole, *names = path(node.target) or [""]
            changed.update(names if whole == "self" and len(names) == 1 else ())
        elif isinstance(node, ir.Assign):
            inner = (each for target in node.targets for each in walk(target))
            assigned.update(each.name for each in inner if isinstance(each, ir.Attribute))
    return frozenset(changed - assigned)


def renewed(method: ir.Node) -> frozenset[str]:
    """The attributes of `self` that a method assigns only what it makes of them:
    `self.x = torch.zeros_like(self.x)`, or does so in between under another name."""
    made = defaultdict[str, list[frozenset[str]]](list)
    for node in walk(method):
        if isinstance(node, ir.Assign):
            names = frozenset(map(written, walk_names(node.value)))
            for target in chain.from_iterable(map(parts, node.targets)):
                made[written(target)].append(names)
    return frozenset(
        name.removeprefix("self.")
        for name, sources in made.items()
        if name.startswith("self.") and all(is_made_of(name, each, made) for each in sources)
    )


def is_made_of(name: str, parts: Set[str], made: Mapping[str, list[frozenset[str]]]) -> bool:
    if name in parts:
        return True
    locals_ = [made[each] for each in parts & made.keys() if "." not in each]
    return any(all(name in each for each in bound) for bound in locals_)


def walk_names(node: ir.Node) -> Iterator[ir.Expression]:
    return (each for each in walk(node) if isinstance(each, (ir.Name, ir.Attribute)))


def places(method: ir.Def) -> bool:
    """Whether a method is told a device."""
    return any(names_device(parameter.name) for parameter in method.params)
