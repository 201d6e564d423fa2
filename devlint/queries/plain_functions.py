"""Functions that do nothing themselves."""

from __future__ import annotations

from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.loop_moves import names

#: What runs several times, or by itself.
INNER = (ir.For, ir.While, ir.Comprehension, ir.Def, ir.Class, ir.Lambda)


def only_hands_on(function: ir.Def) -> bool:
    """Whether a function has no loop, defines nothing, and calls nothing but functions by their
    names."""
    own = {parameter.name for parameter in function.params}
    called = []
    for node in (inner for statement in function.body for inner in walk(statement)):
        if isinstance(node, INNER):
            return False
        if isinstance(node, ir.Assign):
            own.update(name for target in node.targets for name in names(target))
        elif isinstance(node, ir.Call):
            called.append(node.func)
    return all(isinstance(func, ir.Name) and func.id not in own for func in called)
