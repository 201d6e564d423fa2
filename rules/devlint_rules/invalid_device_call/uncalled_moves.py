"""Methods that move, and are named where they were to be called."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Analysis,
    AttributeRead,
    Fix,
    Kind,
    Problem,
    Run,
    followed,
    ir,
    is_self,
    loop_moves,
    module_state,
    on,
    walk,
    written,
)

#: Methods of tensors and modules that can be called without an argument.
MOVES = frozenset({"cuda", "cpu"})


class UncalledMoves(Analysis[Run]):
    """Reports `return x.cuda`, and `model.cuda` as a statement."""

    is_failure = True

    @on(AttributeRead)
    def read(self, signal: AttributeRead) -> None:
        node, whole = signal.node, signal.whole
        if node.name not in MOVES or is_self(node.value) or whole.kind is Kind.IMPORTED:
            return
        running = self.run.function or self.run.module
        if node not in self.run.once(results, running):
            return
        if node.name in self.run.instance(whole.ref).attributes:
            return
        is_movable = whole.kind is Kind.TENSOR or module_state.is_module(self.run, whole)
        if is_movable or written(node.value) in self.run.once(moved, running):
            text = written(node)
            message = f"`{text}` is the method, which nothing calls: nothing is moved"
            fix = Fix(f"call it: `{text}()`", (followed(node, "()"),), "safe")
            self.run.report(self, Problem(node, message, fix=fix))


def results(scope: ir.Node) -> frozenset[ir.Node]:
    """The attributes that a function gives, drops, or assigns to names which it does not call."""
    called = {node.func.id for node in calls(scope) if isinstance(node.func, ir.Name)}
    return frozenset(
        part
        for statement in walk(scope)
        if isinstance(statement, (ir.Evaluate, ir.Return, ir.Assign))
        if not isinstance(statement, ir.Assign) or is_data(statement, called)
        for part in arms(statement.value)
        if isinstance(part, ir.Attribute)
    )


def is_data(statement: ir.Assign, called: set[str]) -> bool:
    return all(isinstance(e, ir.Name) and e.id not in called for e in statement.targets)


def arms(value: ir.Expression | None) -> Iterator[ir.Expression]:
    """What an expression may be, as it is written."""
    if isinstance(value, ir.Conditional):
        yield from arms(value.then)
        yield from arms(value.orelse)
    elif value is not None:
        yield value


def moved(scope: ir.Node) -> frozenset[str]:
    """What a function calls a method of that moves, as it is written."""
    methods = (node.func for node in calls(scope) if isinstance(node.func, ir.Attribute))
    return frozenset(written(e.value) for e in methods if e.name in loop_moves.MOVES | MOVES)


def calls(scope: ir.Node) -> Iterator[ir.Call]:
    return (node for node in walk(scope) if isinstance(node, ir.Call))
