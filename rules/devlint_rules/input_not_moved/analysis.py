"""Branches of a loop that move one part of a batch each, and leave the other on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from devlint.api import (
    Analysis,
    Looping,
    Problem,
    Run,
    ir,
    is_name,
    loop_moves,
    on,
    source_name,
    walk,
)

#: The moves of a block, by the name that they are assigned to.
Moves = dict[str, ir.Call]


class OneSidedMoves(Analysis[Run]):
    """Reports those whose parts meet."""

    @on(Looping)
    def look(self, signal: Looping) -> None:
        loop = signal.loop
        is_parted = isinstance(loop.target, ir.Display)
        if is_parted and self.run.once(loop_moves.may_be_loader, loop.iter):
            for found in self.run.once(one_sided, loop):
                self.run.report(self, found)


def one_sided(loop: ir.For) -> tuple[Problem, ...]:
    """Branches of one `if` of which one moves only this and another only that; both meet."""
    parts = frozenset(loop_moves.names(loop.target))
    found = []
    for statement in loop.body:
        if isinstance(statement, ir.If):
            rest = [each for each in loop.body if each is not statement]
            pair = opposed([moves(branch, parts) for branch in branches(statement)])
            if pair is not None and not {*pair} & moves(rest, parts).keys() and meet(loop, *pair):
                (here, move), (there, other) = pair.items()
                found.append(problem(move, here, there, other))
    return tuple(found)


def problem(move: ir.Call, moved: str, left: str, opposite: ir.Call) -> Problem:
    here, there = f"`{moved}`", f"`{left}`"
    message = f"only {here} is moved in this branch, {there} stays on the CPU, and the two meet"
    related = ((opposite, f"only {there} is moved here, and {here} stays on the CPU"),)
    return Problem(move, message, related)


def branches(statement: ir.If) -> Iterator[ir.Block]:
    yield statement.body
    if len(statement.orelse) == 1 and isinstance(statement.orelse[0], ir.If):
        yield from branches(statement.orelse[0])
    elif statement.orelse:
        yield statement.orelse


def moves(block: ir.Block | list[ir.Statement], parts: frozenset[str]) -> Moves:
    """What a block moves of the parts of a batch."""
    return {
        source_name(node): node
        for statement in block
        for node in walk(statement)
        if isinstance(node, ir.Call)
        and source_name(node) in parts
        and loop_moves.is_move(node, parts)
    }


def opposed(each: list[Moves]) -> Moves | None:
    """A part that only the one of two branches moves, and one that only the other moves."""
    for one, other in permutations(each, 2):
        here = next((name for name in sorted(one) if name not in other), None)
        there = next((name for name in sorted(other) if name not in one), None)
        if here is not None and there is not None:
            return {here: one[here], there: other[there]}
    return None


def meet(loop: ir.For, one: str, other: str) -> bool:
    """Whether what is made of one part is given to a function together with the other."""
    return any(
        isinstance(node, ir.Call)
        and len(node.args) == 2
        and any(
            is_made_of(loop, first, this) and is_name(second, that)
            for first, second in permutations(node.args)
            for this, that in ((one, other), (other, one))
        )
        for statement in loop.body
        for node in walk(statement)
    )


def is_made_of(loop: ir.For, node: ir.Expression, part: str) -> bool:
    """`model(x)`, or a name that is bound to that."""
    if isinstance(node, ir.Call):
        return any(is_name(argument, part) for argument in node.args)
    return isinstance(node, ir.Name) and any(
        isinstance(each, ir.Assign)
        and isinstance(each.value, ir.Call)
        and any(is_name(target, node.id) for target in each.targets)
        and is_made_of(loop, each.value, part)
        for statement in loop.body
        for each in walk(statement)
    )
