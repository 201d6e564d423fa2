"""What functions move a part of, by their text: all parts of that come from one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from devlint.lower import ir
from devlint.lower.walk import children
from devlint.queries.data_uses import used_as_modules, used_as_records
from devlint.queries.destinations import destinations
from devlint.queries.dotted_names import path
from devlint.queries.loop_moves import MOVES, bound, is_move, names
from devlint.queries.name_conventions import source_name, words_of, written

Scope = ir.Def | ir.Lambda | ir.Module
#: The tests that a node is below, and in which of their arms.
Arms = Mapping[ir.If, bool]
#: The methods that give an item.
ITEMS = frozenset({"get", "pop"})


def partly_moved(scope: Scope) -> Mapping[ir.Node, str]:
    """The targets of assignments, and the parameters, of whose values a function later moves a part
    and keeps that, by how it writes the part: `x` for `x, y = batch` with `x = x.to(device)`
    below it, `batch[..]` for a `batch` of which `batch["x"].cuda()` is used."""
    if not isinstance(scope, ir.Lambda) and MOVES.isdisjoint(scope.words):
        return {}
    placed = [*own(scope)]
    nodes = [node for node, _ in placed]
    moves = kept_moves(scope, nodes)
    if not moves:
        return {}
    sources = moved_names(nodes, moves)
    found = dict[ir.Node, str]()
    for index, (node, arms) in enumerate(placed):
        for target in targets(node):
            if not sources.isdisjoint(named(target)):
                later = (each for each, other in placed[index + 1 :] if may_follow(arms, other))
                part = moved_part(target, later, moves)
                found |= {} if part is None else {target: part}
    return found


def own(scope: Scope) -> Iterator[tuple[ir.Node, Arms]]:
    """What a function or program is made of, in its order, without what it defines."""
    nothing: Arms = {}
    pending = [(each, nothing) for each in children(scope)][::-1]
    while pending:
        node, arms = pending.pop()
        if not isinstance(node, (ir.Def, ir.Class, ir.Lambda)):
            yield node, arms
            pending += [(each, below(node, each, arms)) for each in children(node)][::-1]


def below(node: ir.Node, part: ir.Node, arms: Arms) -> Arms:
    """The arms of a part of something."""
    if isinstance(node, ir.If) and part is not node.test:
        return {**arms, node: part in node.body}
    return arms


def may_follow(one: Arms, other: Arms) -> bool:
    """Whether no test keeps a run from both."""
    return all(other.get(test, arm) is arm for test, arm in one.items())


def kept_moves(scope: Scope, nodes: Sequence[ir.Node]) -> frozenset[ir.Node]:
    """The moves to a device that is not that of something which a function has, but those of
    modules, of which nothing need be kept."""
    dropped = {each.value for each in nodes if isinstance(each, ir.Evaluate)}
    modules, places = used_as_modules(scope), destinations(scope)
    records = {} if isinstance(scope, ir.Module) else used_as_records(scope)
    local = {name for each in nodes for target in targets(each) for name in named(target)}
    local -= {*records, "self"}
    calls = (each for each in nodes if isinstance(each, ir.Call) and each not in dropped)
    return frozenset(
        each
        for each in calls
        if is_move(each, places=places)
        and source_name(each) not in modules
        and not any(follows(argument, local) for argument in each.args)
    )


def follows(argument: ir.Expression, local: set[str]) -> bool:
    """`logits.device`: where something else is."""
    return isinstance(argument, ir.Attribute) and path(argument)[0] in local


def moved_names(nodes: Sequence[ir.Node], moves: Iterable[ir.Node]) -> frozenset[str]:
    """The names of what is moved, or that this comes from."""
    found = {source_name(each) for each in moves if isinstance(each, ir.Call)}
    for node in reversed(nodes):
        for target, value in bound(node) if isinstance(node, ir.Assign) else ():
            if not found.isdisjoint(names(target)):
                found.add(source_name(value))
    return frozenset(found)


def targets(node: ir.Node) -> Iterator[ir.Node]:
    """What takes things of others."""
    if isinstance(node, ir.Parameter):
        yield node
    elif isinstance(node, ir.Assign):
        yield from (each for each in node.targets if isinstance(each, (ir.Name, ir.Display)))


def named(target: ir.Node) -> Iterator[str]:
    if isinstance(target, ir.Parameter):
        yield target.name
    elif isinstance(target, (ir.Name, ir.Display)):
        yield from names(target)


def moved_part(target: ir.Node, later: Iterable[ir.Node], moves: frozenset[ir.Node]) -> str | None:
    """The first part that is moved of what a target has now, under whatever name."""
    is_whole = not isinstance(target, ir.Display)
    wholes = frozenset(named(target)) if is_whole else frozenset[str]()
    parts = {} if is_whole else {name: name for name in named(target)}
    for node in later:
        if isinstance(node, ir.Call) and node in moves:
            part = part_of(node, wholes, parts)
            if part is not None:
                return part
        for to, value in bound(node) if isinstance(node, ir.Assign) else ():
            if not wholes.isdisjoint(names(to)):
                return None
            part = part_of(value, wholes, parts)
            if part is not None:
                parts |= dict.fromkeys(names(to), part)
            elif words_of(value).isdisjoint(parts) and not isinstance(value, ir.Constant):
                parts = {name: part for name, part in parts.items() if name not in {*names(to)}}
    return None


def part_of(node: ir.Expression, wholes: Set[str], parts: Mapping[str, str]) -> str | None:
    """What an expression is made of: a part by its name, or an item of a whole."""
    if (name := source_name(node)) in parts:
        return parts[name]
    item = first_item(node)
    return None if item is None or source_name(item) not in wholes else written(item)


def first_item(node: ir.Expression) -> ir.Expression | None:
    """`batch["x"]` of `batch["x"].float().to(device)`, or `batch.get("x")`."""
    found: ir.Expression | None = None
    while True:
        match node:
            case ir.Name():
                return found
            case ir.Subscript(value=inner):
                found = node
            case ir.Call(func=ir.Attribute(value=inner, name=name)):
                found = node if name in ITEMS else found
            case _:
                return None
        node = inner
