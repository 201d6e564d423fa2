"""Loops: what stands in them, what their rounds have anew, and which of these is the first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import written

#: Contexts in which nothing is recorded for `backward`.
NO_GRADIENTS = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})

#: Whether a comparison of the number of a round with 0, and with 1, holds in the first.
WITH_ZERO = {"==": True, "!=": False, ">": False, "<=": True}
WITH_ONE = {"<": True, ">=": False}


@dataclass(frozen=True, slots=True)
class Place:
    """`statement` is the smallest around it, or the header of one, `loop` the innermost loop of the
    same function. `is_conditional`: some rounds leave it out.

    `has_gradients`: what is computed is recorded for `backward`.
    """

    statement: ir.Node | None = None
    loop: ir.For | ir.While | None = None
    is_conditional: bool = False
    has_gradients: bool = True


def places(module: ir.Module) -> dict[ir.Node, Place]:
    """The place of each call and each augmented assignment."""
    return dict(below(module.body, Place()))


def below(block: ir.Block, place: Place) -> Iterator[tuple[ir.Node, Place]]:
    maybe = replace(place, is_conditional=True)
    for statement in block:
        place = replace(place, statement=statement)
        if isinstance(statement, (ir.Def, ir.Class)):
            yield from below(statement.body, Place())
        elif isinstance(statement, ir.If):
            yield from inside(statement.test, place)
            yield from below((*statement.body, *statement.orelse), maybe)
        elif isinstance(statement, ir.For):
            yield from inside(statement.iter, place)
            yield from rounds(statement, place)
        elif isinstance(statement, ir.While):
            yield from rounds(statement, place)
        elif isinstance(statement, ir.Try):
            yield from below((*statement.body, *statement.orelse, *statement.final), place)
            for handler in statement.handlers:
                yield from below(handler.body, maybe)
        elif isinstance(statement, ir.With):
            yield from within(statement, place)
        elif isinstance(statement, ir.Match):
            for case in statement.cases:
                yield from below(case.body, maybe)
        else:
            yield from inside(statement, place)


def rounds(loop: ir.For | ir.While, place: Place) -> Iterator[tuple[ir.Node, Place]]:
    round_ = replace(place, loop=loop, is_conditional=False)
    if isinstance(loop, ir.While):
        yield from inside(loop.test, round_)
    yield from below(loop.body, round_)
    yield from below(loop.orelse, place)


def within(block: ir.With, place: Place) -> Iterator[tuple[ir.Node, Place]]:
    for context, _ in block.items:
        yield from inside(context, place)
        name = written(context.func if isinstance(context, ir.Call) else context)
        if name.rpartition(".")[2] in NO_GRADIENTS:
            place = replace(place, has_gradients=False)
    yield from below(block.body, place)


def inside(node: ir.Node, place: Place) -> Iterator[tuple[ir.Node, Place]]:
    """A lambda's body runs who knows when, and an arm of a condition not always."""
    parted: list[ir.Lambda | ir.Conditional] = []
    for each in walk(node):
        if isinstance(each, (ir.Call, ir.AugmentedAssign)):
            yield each, place
        elif isinstance(each, (ir.Lambda, ir.Conditional)):
            parted.append(each)
    for each in parted:
        if isinstance(each, ir.Lambda):
            yield from inside(each.body, Place())
        else:
            for arm in (each.then, each.orelse):
                yield from inside(arm, replace(place, is_conditional=True))


def of_one_round(loop: ir.For | ir.Comprehension) -> frozenset[str]:
    """The names that each round of a loop has anew: its targets, and what it assigns from those."""
    clauses = loop.clauses if isinstance(loop, ir.Comprehension) else (loop,)
    found = {name for each in clauses for name in targets(each)}
    body = loop.body if isinstance(loop, ir.For) else ()
    assigned = [each for part in body for each in walk(part) if isinstance(each, ir.Assign)]
    for each in assigned:  # In the order of the text: what is made of them later comes later.
        read = (node.id for node in walk(each.value) if isinstance(node, ir.Name))
        if not found.isdisjoint(read):
            found.update(targets(each))
    return frozenset(found)


def stored(code: ir.Node) -> frozenset[str]:
    """The names and attributes, as written, that code assigns."""
    return frozenset(name for node in walk(code) for name in targets(node))


def targets(node: ir.Node) -> Iterator[str]:
    if isinstance(node, ir.Assign):
        for target in node.targets:
            yield from parts(target)
    elif isinstance(node, (ir.AugmentedAssign, ir.For, ir.Walrus, ir.Clause)):
        yield from parts(node.target)
    elif isinstance(node, ir.With):
        for _, name in node.items:
            if name is not None:
                yield from parts(name)


def parts(target: ir.Expression) -> Iterator[str]:
    """What an assignment to a target changes: of an item, the whole."""
    if isinstance(target, ir.Display):
        for item in target.items:
            yield from parts(item)
    elif isinstance(target, (ir.Starred, ir.Subscript)):
        yield from parts(target.value)
    else:
        yield written(target)


def counter(loop: ir.For) -> str | None:
    """The name of the number of a round, of a loop that counts them from 0."""
    call = loop.iter
    if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Name):
        return None
    is_range = call.func.id == "range" and len(call.args) == 1
    is_enumerated = call.func.id == "enumerate" and len(call.args) == 1 and not call.keywords
    target: ir.Expression | None = loop.target if is_range else None
    if is_enumerated and isinstance(loop.target, ir.Display) and loop.target.items:
        target = loop.target.items[0]
    return target.id if isinstance(target, ir.Name) else None


def in_first(test: ir.Expression, name: str) -> bool | None:
    """What a test gives in the first round, if it asks for that by the number of the round."""
    if isinstance(test, ir.Name):
        return False if test.id == name else None
    match test:
        case ir.Unary(op="not", operand=ir.Name(id=asked)):
            return True if asked == name else None
        case ir.Compare(
            left=ir.Name(id=asked), ops=(op,), comparators=(ir.Constant(value=0 | 1 as number),)
        ):
            answers = WITH_ONE if number else WITH_ZERO
            return answers.get(op) if asked == name and number is not True else None
    return None


def asks_for_first_round(loop: ir.For) -> bool:
    """Whether a test in a loop, which leaves the number of its round alone, tells the first one
    from the others."""
    name = counter(loop)
    if name is None or name in {each for part in loop.body for each in stored(part)}:
        return False
    tests = (
        each.test
        for part in loop.body
        for each in walk(part)
        if isinstance(each, (ir.If, ir.Conditional))
    )
    return any(in_first(test, name) is not None for test in tests)
