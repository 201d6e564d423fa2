"""Which files have been published: those at an address."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from devlint.lower import ir
from devlint.lower.walk import walk

#: What stands between the scheme of an address and the rest.
ADDRESS = "://"

Bindings = Mapping[str, Sequence[ir.Expression]]


def is_published(node: ir.Expression, bindings: Sequence[Bindings]) -> bool:
    """Whether there is an address in an expression, or in what a name in it was bound to. The first
    of the `bindings` that has the name decides."""
    pending, seen = [node], set[str]()
    while pending:
        for each in walk(pending.pop()):
            if is_address(each):
                return True
            if isinstance(each, ir.Name) and each.id not in seen:
                seen.add(each.id)
                pending += next((scope[each.id] for scope in bindings if each.id in scope), ())
    return False


def is_address(node: ir.Node) -> bool:
    if isinstance(node, ir.Text):
        return ADDRESS in node.start
    return isinstance(node, ir.Constant) and isinstance(node.value, str) and ADDRESS in node.value


def bound(scope: ir.Node) -> Bindings:
    """What the names of a function, or of the top of a module, are bound to."""
    found = defaultdict(list)
    parameters = scope.params if isinstance(scope, ir.Def) else ()
    for parameter in parameters:
        if parameter.default is not None:
            found[parameter.name].append(parameter.default)
    for target, value in (pair for each in below(scope) for pair in pairs(each)):
        if isinstance(target, ir.Name):
            found[target.id].append(value)
    return found


def below(scope: ir.Node) -> Iterator[ir.Node]:
    """All nodes of a function; those of a module outside its functions and classes."""
    if not isinstance(scope, ir.Module):
        return walk(scope)
    top = (each for each in scope.body if not isinstance(each, (ir.Def, ir.Class)))
    return (node for statement in top for node in walk(statement))


def pairs(node: ir.Node) -> Iterator[tuple[ir.Expression | None, ir.Expression]]:
    if isinstance(node, ir.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ir.With):
        yield from ((target, context) for context, target in node.items)
