"""What code gives to moves as a device, whatever it calls that."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.data_uses import PARTS
from devlint.queries.dotted_names import is_path, last_word
from devlint.queries.name_conventions import (
    is_name,
    names_class,
    names_device,
    names_dtype,
    written,
)
from devlint.queries.placements import is_type
from devlint.queries.tensor_evidence import handed_to_torch

MOVE = "to"
#: What takes a device, or shows one, as its first argument.
TAKERS = frozenset({MOVE, "cuda", "device", "set_device", "print", "str"})
#: Keywords for a device that do not say so.
KEYWORDS = frozenset({"map_location"})
#: Tensors are compared by these, devices are not.
ORDERS = frozenset({"<", "<=", ">", ">="})


Scope = ir.Def | ir.Lambda | ir.Class | ir.Module


def destinations(scope: Scope) -> frozenset[str]:
    """The names and attributes, as they are written, that code gives to `to`, and of which it makes
    no other use than of a device: nothing computes with them, asks them for parts, or calls them,
    and none is a dtype."""
    if not isinstance(scope, ir.Lambda) and MOVE not in scope.words:
        return frozenset()
    nodes = list(walk(scope))
    given = {written(each) for node in nodes for each in moved_to(node)}
    given = {each for each in given if not names_dtype(each)}
    return frozenset(given.difference(*map(used_otherwise, nodes)) if given else ())


def moved_to(node: ir.Node) -> Iterator[ir.Expression]:
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute) and node.func.name == MOVE:
        named = (value for name, value in node.keywords if name == "device")
        given = (each for each in (*node.args[:1], *named) if is_path(each))
        yield from (each for each in given if not is_type(each))


def used_otherwise(node: ir.Node) -> set[str]:
    """What a node uses as something else than a device, as far as it is written as a name or an
    attribute."""
    if isinstance(node, ir.Parameter):
        return {node.name} if is_of_dtype(node) else set()
    return {written(each) for each in other_uses(node) if is_path(each)}


def is_of_dtype(parameter: ir.Parameter) -> bool:
    note, default = parameter.annotation, parameter.default
    is_declared = note is not None and names_dtype(written(note))
    return is_declared or (default is not None and has_dtype(default))


def other_uses(node: ir.Node) -> Iterator[ir.Expression]:
    match node:
        case ir.Binary():
            yield from (node.left, node.right)
        case ir.Unary(op=op) if op != "not":
            yield node.operand
        case ir.Subscript() | ir.Starred():
            yield node.value
        case ir.Attribute() if node.name not in PARTS:
            yield node.value
        case ir.AugmentedAssign():
            yield node.target
        case ir.For() | ir.Clause():
            yield from (node.iter, node.target)
        case ir.Compare(ops=ops) if not ORDERS.isdisjoint(ops):
            yield from (node.left, *node.comparators)
        case ir.Assign() if has_dtype(node.value):
            yield from node.targets
        case ir.Call():
            yield from taken(node)


def taken(call: ir.Call) -> Iterator[ir.Expression]:
    """What a call uses: what is called, what torch takes for a tensor, or a function first, and
    what is given by a keyword that names no device."""
    yield call.func
    yield from handed_to_torch(call)
    if last_word(call.func) not in TAKERS and not names_class(last_word(call.func)):
        yield from call.args[:1]
        named = ((name, value) for name, value in call.keywords if name not in KEYWORDS)
        yield from (value for name, value in named if name is None or not names_device(name))


def has_dtype(node: ir.Expression) -> bool:
    """Whether an expression names something that `torch` itself has, and neither calls that nor
    asks it for anything."""
    nodes = list(walk(node))
    wholes = {each.func for each in nodes if isinstance(each, ir.Call)}
    wholes |= {each.value for each in nodes if isinstance(each, ir.Attribute)}
    parts = (each for each in nodes if isinstance(each, ir.Attribute) and each not in wholes)
    return any(is_name(each.value, "torch") for each in parts)
