"""Statements that move something and keep nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from devlint.api import ir, is_name, liveness, source_text

Owner = ir.Def | ir.Module


class Site(NamedTuple):
    """A statement that moves its subject, in a body of statements; `names` are all that the subject
    goes by, first as the statement has it; `owner`: whose body that is."""

    statement: ir.Evaluate | ir.Assign
    names: list[ir.Expression]
    owner: Owner
    body: liveness.Body

    @property
    def subject(self) -> ir.Expression:
        return self.names[0]

    @property
    def clauses(self) -> tuple[ir.Clause, ...]:
        """Those of a comprehension that moves its items."""
        value = self.statement.value
        return value.clauses if isinstance(value, ir.Comprehension) else ()

    def clause(self, name: ir.Expression) -> ir.Clause | None:
        """That which binds a name to one item after the other."""
        text = source_text(name)
        return next((e for e in self.clauses if text in liveness.stored(e.target)), None)

    @property
    def loop(self) -> ir.For | ir.Clause | None:
        """What binds the subject to one item after the other."""
        return self.clause(self.subject) or self.body.loop(self.statement, self.subject)

    @property
    def whole(self) -> ir.Expression | None:
        """What the subject is any item of, if a loop takes these as they come."""
        loop = self.loop
        return loop.iter if loop is not None and isinstance(loop.target, ir.Name) else None

    def later_read(self, name: ir.Expression) -> ir.Node | None:
        """Where the program reads what a name refers to, after the statement."""
        clause = self.clause(name)
        wholes = [] if clause is None else [*liveness.iterated(clause.iter)]
        reads = (self.body.later_read(self.statement, each) for each in wholes or [name])
        return next((each for each in reads if each is not None), None)


class Use(NamedTuple):
    """Where the subject is read later, and as what."""

    node: ir.Node
    name: ir.Expression


def whole_of(node: ir.Expression) -> ir.Expression:
    """What `x.a` and `x["b"]` are a part of."""
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    return node


class Body(liveness.Body):
    """The statements of a function or module, with the calls of which these keep nothing."""

    def __init__(self, owner: Owner) -> None:
        super().__init__(owner)
        self.dropped: Mapping[ir.Node, ir.Evaluate | ir.Assign] = dict(self._dropping())

    def _dropping(self) -> Iterator[tuple[ir.Node, ir.Evaluate | ir.Assign]]:
        for statement in self.statements:
            if isinstance(statement, ir.Evaluate):
                value = statement.value
                yield value.element if isinstance(value, ir.Comprehension) else value, statement
            elif isinstance(statement, ir.Assign) and self._is_forgotten(statement):
                yield statement.value, statement

    def _is_forgotten(self, statement: ir.Assign) -> bool:
        """Whether an item of a loop is put back into the name of the loop only, and not read."""
        target, value = statement.targets[0], statement.value
        if not isinstance(target, ir.Name) or not isinstance(value, ir.Call):
            return False
        moves_itself = isinstance(value.func, ir.Attribute) and is_name(value.func.value, target.id)
        is_item = moves_itself and self.loop(statement, target) is not None
        return is_item and len(statement.targets) == 1 and not self.is_read(statement, target)
