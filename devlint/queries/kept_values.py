"""What functions keep from one call to the next, by the text of a program."""

from __future__ import annotations

from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import is_self, written
from devlint.queries.tensor_evidence import parts


def kept_places(function: ir.Def) -> frozenset[str]:
    """What a function changes that may be there still when it is called again, as it is written:
    attributes, names of other scopes, and what it puts items in."""
    nodes = [*walk(function)]
    outer = {name for node in nodes if isinstance(node, ir.Scope) for name in node.names}
    assigned = (each for node in nodes if isinstance(node, ir.Assign) for each in node.targets)
    targets = [target for each in assigned for target in parts(each)]
    return frozenset(
        written(each.value if isinstance(each, ir.Subscript) else each)
        for each in targets
        if not isinstance(each, ir.Name) or each.id in outer
    )


def places_asked(test: ir.Expression) -> frozenset[str]:
    """What a test asks something of, as it is written."""
    return frozenset(map(written, walk(test)))


def called_on_self(method: ir.Def) -> frozenset[str]:
    """The names of the methods that a method calls of its object."""
    functions = (node.func for node in walk(method) if isinstance(node, ir.Call))
    return frozenset(
        each.name for each in functions if isinstance(each, ir.Attribute) and is_self(each.value)
    )


def kept_arguments(function: ir.Def | ir.Lambda) -> frozenset[str]:
    """The attributes that a constructor sets to what it is given, as it is."""
    given = {parameter.name for parameter in function.params}
    assigned = (node for node in walk(function) if isinstance(node, ir.Assign))
    return frozenset(
        target.name
        for each in assigned
        if isinstance(each.value, ir.Name) and each.value.id in given
        for target in each.targets
        if isinstance(target, ir.Attribute) and is_self(target.value)
    )
