"""Statements that move something and keep nothing."""

from __future__ import annotations

from typing import NamedTuple

from devlint.api import ir, liveness


class Site(NamedTuple):
    """A statement that moves its subject, in a body of statements; `names` are all that the subject
    goes by, first as the statement has it; `owner`: whose body that is."""

    statement: ir.Evaluate
    names: list[ir.Expression]
    owner: ir.Def | ir.Module
    body: liveness.Body

    @property
    def subject(self) -> ir.Expression:
        return self.names[0]


class Use(NamedTuple):
    """Where the subject is read later, and as what."""

    node: ir.Node
    name: ir.Expression


def whole_of(node: ir.Expression) -> ir.Expression:
    """What `x.a` and `x["b"]` are a part of."""
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    return node
