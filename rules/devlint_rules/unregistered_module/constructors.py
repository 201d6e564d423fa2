"""Constructors that may keep modules in plain containers, by their text."""

from __future__ import annotations

from collections.abc import Set

from devlint.api import ClassInfo, Run, ir, last_word, loop_moves, walk

#: Python's own types of containers.
CONTAINERS = frozenset("list tuple dict set".split())
#: Methods of theirs that put something in.
FILLS = frozenset("append extend insert update setdefault".split())


def may_hold_modules(run: Run, owner: ClassInfo) -> bool:
    """Whether `__init__`, that of a base class, or a function that they come to, may fill a
    container with modules."""
    if not owner.is_module:
        return False
    inits = [each for each in owner.definitions if each.name == "__init__"]
    reached = called_by(run, inits)
    if not any(run.once(fills, each) for each in reached):
        return False
    makers = frozenset(each.name for each in reached[len(inits) :])
    return any(stores_container(each, makers) for each in reached)


def stores_container(function: ir.Def, makers: frozenset[str]) -> bool:
    """Whether a function assigns an attribute something that may be a list, tuple or dict: written
    out, or what one of `makers` gives; not what a class makes, such as `nn.Sequential(*layers)`."""
    if "setattr" in function.words:
        return True
    assignments = [node for node in walk(function) if isinstance(node, ir.Assign)]
    held = {each.name for each in function.params if each.kind == "*"}
    for each in assignments:
        if may_be_container(each.value, held, makers):
            held |= {name for target in each.targets for name in loop_moves.names(target)}
    stored = [each for each in assignments if any(map(is_attribute, each.targets))]
    return any(may_be_container(each.value, held, makers) for each in stored)


def is_attribute(target: ir.Expression) -> bool:
    """Whether an assignment to a target stores an attribute, or several."""
    return isinstance(target, (ir.Attribute, ir.Subscript, ir.Display))


def may_be_container(node: ir.Expression, names: Set[str], makers: frozenset[str]) -> bool:
    if isinstance(node, ir.Name):
        return node.id in names
    if isinstance(node, ir.Call):
        return last_word(node.func) in makers | CONTAINERS
    if isinstance(node, ir.Binary):
        return any(may_be_container(side, names, makers) for side in (node.left, node.right))
    if isinstance(node, ir.Conditional):
        return any(may_be_container(arm, names, makers) for arm in (node.then, node.orelse))
    return isinstance(node, (ir.Display, ir.Comprehension, ir.Mapping))


def called_by(run: Run, functions: list[ir.Def]) -> list[ir.Def]:
    """Functions and those that they may come to, by their words."""
    reached = list(functions)
    for each in reached:
        found = run.seeds.callees(each)
        reached += [e for e in found if e.name != "__init__" and e not in reached]
    return reached


def fills(function: ir.Def) -> bool:
    """Whether a function fills a container with what it makes, or is given any number of things."""
    if not FILLS.isdisjoint(function.words) or any(each.kind == "*" for each in function.params):
        return True
    return any(holds_made(each) or puts(each) for each in walk(function))


def puts(node: ir.Node) -> bool:
    """Whether it puts something under a key: `self.heads[name] = nn.Linear(..)`."""
    if not isinstance(node, ir.Assign) or not may_be_made(node.value):
        return False
    return any(isinstance(each, ir.Subscript) for each in node.targets)


def may_be_made(node: ir.Expression) -> bool:
    """Whether a call or a name gives it, on one path at least."""
    if isinstance(node, ir.Conditional):
        return may_be_made(node.then) or may_be_made(node.orelse)
    return isinstance(node, (ir.Call, ir.Name))


def holds_made(node: ir.Node) -> bool:
    """Whether it is a container of what calls and names give."""
    items: tuple[ir.Expression, ...] = ()
    if isinstance(node, ir.Comprehension):
        items = (node.element,)
    elif isinstance(node, ir.Display):
        items = node.items
    elif isinstance(node, ir.Mapping):
        items = node.values
    elif isinstance(node, ir.Call) and last_word(node.func) in CONTAINERS:
        items = tuple(value for _, value in node.keywords)
    return any(map(may_be_made, items))
