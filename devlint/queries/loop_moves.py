"""What loops take, and which parts of it they move, by their text."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Set
from dataclasses import dataclass

from devlint.lower import ir
from devlint.lower.walk import by_type, walk
from devlint.queries.destinations import Scope, destinations
from devlint.queries.dotted_names import (
    last_word,
    path,
)
from devlint.queries.name_conventions import (
    is_self,
    names_destination,
    source_name,
    words_of,
    written,
)

Loop = ir.For | ir.Comprehension

#: The methods that move to the device that they are told.
MOVES = frozenset({"to", "cuda"})
#: What gives parts of a module, of a checkpoint or of one batch.
NO_LOADER = frozenset(
    "items keys values named_parameters parameters buffers named_buffers modules children "
    "named_modules named_children state_dict range".split()
)

BUILT_IN = frozenset(dir(builtins))


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
    moved = Moved(destinations(module))
    read = {name for loop in loops if moved(loop) for name in named_in(iterable(loop))}
    return frozenset(name for group in groups if group & read for name in group)


def unmoved_siblings(scope: Scope) -> frozenset[ir.For]:
    """The loops over something else whose target has the names of what another one moves, and that
    hand these to the same function or model as that one. Of a class, those over attributes."""
    loops, moved = list(loops_of(scope)), Moved(destinations(scope))
    moves = {loop: moved(loop) for loop in loops}
    examples = [loop for loop in loops if moves[loop]]
    others = [each for each in loops if may_be_loader(each.iter) and not asks_to_move(each)]
    return frozenset(
        other
        for other in others
        if any(are_siblings(each, other, moves[each]) for each in examples)
    )


def loops_of(scope: ir.Node) -> Iterator[ir.For]:
    for node in walk(scope):
        if isinstance(node, ir.For) and (not isinstance(scope, ir.Class) or is_own(node.iter)):
            yield node


def is_own(node: ir.Expression) -> bool:
    attributes = (each for each in walk(node) if isinstance(each, ir.Attribute))
    return any(is_self(each.value) for each in attributes)


def asks_to_move(loop: ir.For) -> bool:
    """Whether a loop calls a method that moves of what it takes, be it to where that is."""
    taken = {*names(loop.target)}
    calls = (node for each in loop.body for node in walk(each) if isinstance(node, ir.Call))
    return any(
        isinstance(call.func, ir.Attribute)
        and call.func.name in MOVES
        and source_name(call) in taken
        for call in calls
    )


def are_siblings(example: ir.For, other: ir.For, moves: frozenset[str]) -> bool:
    if not moves <= {*names(other.target)} or written(example.iter) == written(other.iter):
        return False
    return not takers(example, moves).isdisjoint(takers(other, moves))


def takers(loop: ir.For, given: frozenset[str]) -> frozenset[str]:
    """What a loop calls with one of some names."""
    calls = (node for each in loop.body for node in walk(each) if isinstance(node, ir.Call))
    taking = (call for call in calls if any(is_one(each, given) for each in call.args))
    return frozenset(written(call.func) for call in taking) - BUILT_IN


def is_one(node: ir.Expression, given: frozenset[str]) -> bool:
    """Whether a node is one of some names, or what is made of one by a method: `x.to(device)`."""
    while isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        node = node.func.value
    return isinstance(node, ir.Name) and node.id in given


def named_in(node: ir.Expression) -> frozenset[str]:
    """The names and attributes in an expression."""
    parts = (each for each in walk(node) if isinstance(each, (ir.Name, ir.Attribute)))
    return frozenset(map(written, parts))


@dataclass(frozen=True, slots=True)
class Moved:
    """The names that a loop binds of whose values, or parts of them, it moves some; `places` are
    what the code around gives to moves as a device."""

    places: frozenset[str]

    def __call__(self, loop: Loop) -> frozenset[str]:
        sources = {name: name for name in names(target(loop))}
        found = set[str]()
        for statement in body(loop):
            for node in walk(statement):
                if isinstance(node, ir.Call) and (name := source_name(node)) in sources:
                    is_moved = is_move(node, sources.keys(), self.places)
                    found |= {sources[name]} if is_moved and not is_of_record(node) else set()
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


def moved_later(function: Scope) -> frozenset[ir.Node]:
    """What is in the values that a function assigns to names, and moves them, or what their methods
    give, to a device."""
    nodes, places = [*walk(function)], destinations(function)
    calls = (each for each in nodes if isinstance(each, ir.Call))
    moved = {source_name(each) for each in calls if is_move(each, places=places)}
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


def is_move(node: ir.Call, sources: Set[str] = frozenset(), places: Set[str] = frozenset()) -> bool:
    """`x.cuda()`, `x.to(device)`, but not `x.to(torch.float)`, nor `x.to(y.device)` of another
    source, and `x["a"].to(x["device"])`."""
    if not isinstance(node.func, ir.Attribute) or node.func.name not in MOVES:
        return False
    if node.func.name == "cuda":
        return True
    named = [value for name, value in node.keywords if name == "device"]
    own = {*sources, source_name(node)} - {"self"}
    given = [each for each in (*named, *node.args[:1]) if own.isdisjoint(path(each)[:1])]
    return any(names_destination(each) or written(each) in places for each in given)


def is_of_record(move: ir.Call) -> bool:
    """`update["state"][name].to(device)`: what has such a part is no batch."""
    part = move.func.value if isinstance(move.func, ir.Attribute) else move.func
    whole = part.value if isinstance(part, ir.Subscript) else part
    if not isinstance(part, ir.Subscript) or not isinstance(whole, ir.Subscript):
        return False
    is_named = isinstance(whole.index, ir.Constant) and isinstance(whole.index.value, str)
    return is_named and isinstance(part.index, ir.Name)


def names(target: ir.Expression) -> Iterator[str]:
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Starred):
        yield from names(target.value)
    elif isinstance(target, ir.Display):
        for item in target.items:
            yield from names(item)
