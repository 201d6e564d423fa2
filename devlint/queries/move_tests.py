"""Tests that decide whether something is moved, and little else, by the text of a program."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.lower import ir
from devlint.lower.walk import by_type, walk
from devlint.queries.device_tests import PLACES
from devlint.queries.dotted_names import last_word
from devlint.queries.loop_moves import MOVES, is_move
from devlint.queries.name_conventions import base, is_self, source_text, written

#: What asks of a value what it is, or where it is: that is no choice of the program's.
QUESTIONS = frozenset("isinstance issubclass hasattr callable is_tensor".split())


def tests_of_moves(module: ir.Module) -> dict[str, bool]:
    """The texts of the tests under which something is moved, and nothing done somewhere but with
    that; and how they come out there.

    Whatever such a test is of, it chooses whether an accelerator is used, unless it is of what is
    moved.
    """
    if MOVES.isdisjoint(module.words):
        return {}
    nodes = by_type(module)
    ifs = (each.test for each in nodes[ir.If] if is_choice(each))
    inline = (each.test for each in nodes[ir.Conditional] if moves(each.then, each.test))
    upright = [positive(each) for each in (*ifs, *inline) if not any(map(asks, walk(each)))]
    return {source_text(test): truth for test, truth in upright}


def is_choice(node: ir.If) -> bool:
    """Whether something is moved under a test, and nothing where it does not hold."""
    return moves_alone(node.body, node.test) and not moves_alone(node.orelse, node.test)


def positive(test: ir.Expression) -> tuple[ir.Expression, bool]:
    """A test without the `not` before it, and how that comes out where the whole holds."""
    truth = True
    while isinstance(test, ir.Unary) and test.op == "not":
        test, truth = test.operand, not truth
    return test, truth


def asks(node: ir.Node) -> bool:
    if isinstance(node, ir.Call):
        return last_word(node.func) in QUESTIONS
    return isinstance(node, ir.Attribute) and node.name in PLACES and not is_self(node.value)


def moves_alone(body: Sequence[ir.Statement], test: ir.Expression) -> bool:
    """Whether statements move something, and go on with that (`net = DataParallel(net)`)."""
    seen = set[str]()
    for each in body:
        if is_moving(each, test):
            seen.update(map(written, moved(each)))
        elif not isinstance(each, (ir.Assign, ir.Evaluate)) or seen.isdisjoint(
            map(written, walk(each.value))
        ):
            return False
    return bool(seen)


def is_moving(statement: ir.Statement, test: ir.Expression) -> bool:
    """Whether a statement moves something on each of its paths."""
    match statement:
        case ir.Assign(value=value) | ir.Evaluate(value=value):
            return moves(value, test)
        case ir.Return(value=value) if value is not None:
            return gives_moved(value) and moves(value, test)
        case ir.If(body=body, orelse=orelse) if orelse:
            return moves_alone(body, test) and moves_alone(orelse, test)
    return False


def gives_moved(node: ir.Expression) -> bool:
    """Whether an expression is nothing but what is moved, or a list of that."""
    if isinstance(node, ir.Comprehension):
        return gives_moved(node.element)
    if isinstance(node, ir.Display):
        return bool(node.items) and all(map(gives_moved, node.items))
    while isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        if is_move(node):
            return True
        node = node.func.value
    return False


def moves(node: ir.Expression, test: ir.Expression) -> bool:
    """Whether an expression moves something that the test does not name."""
    names = {*map(written, moved(node))}
    return bool(names) and names.isdisjoint(map(written, walk(test)))


def moved(node: ir.Node) -> list[ir.Expression]:
    """What the moves in some code move."""
    return [base(each) for each in walk(node) if isinstance(each, ir.Call) and is_move(each)]
