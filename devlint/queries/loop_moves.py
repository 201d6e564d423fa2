"""What loops and functions take, and which parts of it they move, by their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice

from devlint.lower import ir
from devlint.lower.walk import by_type, children, walk
from devlint.queries.data_uses import used_as_modules, used_as_records
from devlint.queries.dotted_names import (
    last_word,
    path,
)
from devlint.queries.name_conventions import names_device, source_name, words_of, written
from devlint.values.device import NAMES

Loop = ir.For | ir.Comprehension
Scope = ir.Def | ir.Lambda | ir.Module

#: The methods that move to the device that they are told.
MOVES = frozenset({"to", "cuda"})
#: The methods that give an item.
ITEMS = frozenset({"get", "pop"})
#: What gives parts of a module, of a checkpoint or of one batch.
NO_LOADER = frozenset(
    "items keys values named_parameters parameters buffers named_buffers modules children "
    "named_modules named_children state_dict range".split()
)


def may_be_loader(node: ir.Expression) -> bool:
    """Whether a loop over an expression may take batches: what it moves shows whether it does."""
    return words_of(node).isdisjoint(NO_LOADER)


def iterable(loop: Loop) -> ir.Expression:
    return loop.iter if isinstance(loop, ir.For) else loop.clauses[0].iter


def target(loop: Loop) -> ir.Expression:
    return loop.target if isinstance(loop, ir.For) else loop.clauses[0].target


def body(loop: Loop) -> Iterator[ir.Node]:
    if isinstance(loop, ir.For):
        yield from loop.body
    else:
        yield from (each for clause in loop.clauses for each in clause.conditions)
        yield from (each for each in (loop.key, loop.element) if each is not None)


def siblings(module: ir.Module) -> frozenset[str]:
    """The names that are assigned what one call gives, of which a loop moves what one gives: by
    that all of them are loaders, and give it on the CPU."""
    if MOVES.isdisjoint(module.words):
        return frozenset()
    nodes = by_type(module)
    groups = [
        {written(each) for each in node.targets[0].items}
        for node in nodes[ir.Assign]
        if isinstance(node.value, ir.Call) and isinstance(node.targets[0], ir.Display)
    ]
    loops = (*nodes[ir.For], *nodes[ir.Comprehension]) if groups else ()
    read = {name for loop in loops if moved(loop) for name in named_in(iterable(loop))}
    return frozenset(name for group in groups if group & read for name in group)


def named_in(node: ir.Expression) -> frozenset[str]:
    """The names and attributes in an expression."""
    parts = (each for each in walk(node) if isinstance(each, (ir.Name, ir.Attribute)))
    return frozenset(map(written, parts))


def moved(loop: Loop) -> frozenset[str]:
    """The names that a loop binds of whose values, or parts of them, it moves some."""
    sources = {name: name for name in names(target(loop))}
    found = set[str]()
    for statement in body(loop):
        for node in walk(statement):
            if isinstance(node, ir.Call) and (name := source_name(node)) in sources:
                if is_move(node, sources) and not is_of_record(node):
                    found.add(sources[name])
            elif isinstance(node, ir.Assign):
                for each, value in bound(node):
                    if (name := source_name(value)) in sources:
                        sources |= dict.fromkeys(names(each), sources[name])
    return frozenset(found)


def bound(node: ir.Assign) -> Iterator[tuple[ir.Expression, ir.Expression]]:
    """What an assignment binds, and to what: `x, y = a, b` item by item."""
    for target in node.targets:
        match target, node.value:
            case ir.Display(items=parts), ir.Display(items=values) if len(parts) == len(values):
                yield from zip(parts, values, strict=True)
            case both:
                yield both


def moved_later(function: ir.Node) -> frozenset[ir.Node]:
    """What is in the values that a function assigns to names, and moves them, or what their methods
    give, to a device."""
    nodes = [*walk(function)]
    moved = {source_name(each) for each in nodes if isinstance(each, ir.Call) and is_move(each, {})}
    values = (
        node.value
        for node in nodes
        if isinstance(node, ir.Assign)
        and any(isinstance(each, ir.Name) and each.id in moved for each in node.targets)
    )
    return frozenset(part for value in values for part in walk(value))


def takes_batches(loop: Loop) -> bool:
    """Whether nothing in a loop makes a batch of one, as what gives single samples asks for."""
    return not any(makes_batch(node) for statement in body(loop) for node in walk(statement))


def makes_batch(node: ir.Node) -> bool:
    """`x.unsqueeze(0)`, `torch.unsqueeze(x, dim=0)`, `x[None]`, `x[None, :]`."""
    if isinstance(node, ir.Call) and last_word(node.func) == "unsqueeze":
        dim = [*node.args, *(value for _, value in node.keywords)][-1:]
        return any(isinstance(each, ir.Constant) and each.value == 0 for each in dim)
    if not isinstance(node, ir.Subscript):
        return False
    first = node.index.items[0] if isinstance(node.index, ir.Display) else node.index
    return isinstance(first, ir.Constant) and first.value is None


def is_move(node: ir.Call, sources: dict[str, str]) -> bool:
    """`x.cuda()`, `x.to(device)`, but not `x.to(y.device)` or `x.to(torch.float)`."""
    if not isinstance(node.func, ir.Attribute) or node.func.name not in MOVES:
        return False
    if node.func.name == "cuda":
        return True
    named = [value for name, value in node.keywords if name == "device"]
    return any(is_device(each, sources) for each in [*named, *node.args[:1]])


def is_of_record(move: ir.Call) -> bool:
    """`update["state"][name].to(device)`: what has such a part is no batch."""
    part = move.func.value if isinstance(move.func, ir.Attribute) else move.func
    whole = part.value if isinstance(part, ir.Subscript) else part
    if not isinstance(part, ir.Subscript) or not isinstance(whole, ir.Subscript):
        return False
    is_named = isinstance(whole.index, ir.Constant) and isinstance(whole.index.value, str)
    return is_named and isinstance(part.index, ir.Name)


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


def partly_moved(scope: Scope) -> Mapping[ir.Node, str]:
    """The targets of assignments, and the parameters, of whose values a function later moves a part
    and keeps that, by how it writes the part: `x` for `x, y = batch` with `x = x.to(device)`
    below it, `batch[..]` for a `batch` of which `batch["x"].cuda()` is used."""
    if not isinstance(scope, ir.Lambda) and MOVES.isdisjoint(scope.words):
        return {}
    nodes = [*own(scope)]
    moves = kept_moves(scope, nodes)
    if not moves:
        return {}
    sources = moved_names(nodes, moves)
    found = dict[ir.Node, str]()
    for index, node in enumerate(nodes):
        for target in targets(node):
            if not sources.isdisjoint(named(target)):
                part = moved_part(target, islice(nodes, index + 1, None), moves)
                found |= {} if part is None else {target: part}
    return found


def own(scope: Scope) -> Iterator[ir.Node]:
    """What a function or program is made of, in its order, without what it defines."""
    pending = [*children(scope)][::-1]
    while pending:
        node = pending.pop()
        if not isinstance(node, (ir.Def, ir.Class, ir.Lambda)):
            yield node
            pending += [*children(node)][::-1]


def kept_moves(scope: Scope, nodes: Sequence[ir.Node]) -> frozenset[ir.Node]:
    """The moves to a device that is not that of something which a function has, but those of
    modules, of which nothing need be kept."""
    dropped = {each.value for each in nodes if isinstance(each, ir.Evaluate)}
    modules = used_as_modules(scope)
    records = {} if isinstance(scope, ir.Module) else used_as_records(scope)
    local = {name for each in nodes for target in targets(each) for name in named(target)}
    local -= {*records, "self"}
    calls = (each for each in nodes if isinstance(each, ir.Call) and each not in dropped)
    return frozenset(
        each
        for each in calls
        if is_move(each, {})
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
