"""Order of definitions: functions and classes in another order have the same findings."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from .examples import Example
from .law import Faults, differences, of_each

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


def faults(example: Example) -> Faults:
    """Definitions that follow one another stand the other way round, as far as that goes."""
    lines = example.code.split("\n")
    order = new_order(example, len(lines))
    if order == sorted(order) or not example.places:
        return None
    after = example.places_in("\n".join(lines[number - 1] for number in order))
    found = Counter({(order[line - 1], code): many for (line, code), many in after.items()})
    return differences(example, found)


LAW = of_each("order-definitions", faults)


def new_order(example: Example, last: int) -> list[int]:
    """The numbers of the lines as they come."""
    assert example.tree is not None
    order = list(range(1, last + 1))
    for run in runs(example.tree.body):
        blocks = [lines_of(each) for each in run]
        start, end = blocks[0][0], blocks[-1][-1]
        moved = [number for at in backwards(run) for number in blocks[at]]
        order[start - 1 : end] = [*moved, *sorted({*range(start, end + 1)}.difference(moved))]
    return order


def runs(body: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Definitions that follow one another, each with a name of its own."""
    run: list[ast.stmt] = []
    for statement in [*body, ast.Pass()]:
        if name(statement) and name(statement) not in map(name, run):
            run.append(statement)
            continue
        if len(run) > 1:
            yield run
        run = [statement] if name(statement) else []


def name(node: ast.stmt) -> str:
    return node.name if isinstance(node, DEFINITIONS) else ""


def lines_of(node: ast.stmt) -> range:
    """With its decorators."""
    decorators = node.decorator_list if isinstance(node, DEFINITIONS) else []
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return range(first, (node.end_lineno or first) + 1)


def backwards(run: Sequence[ast.stmt]) -> list[int]:
    """The places of definitions: the last comes first, but none before what it is defined with."""
    order: list[int] = []
    left = set(range(len(run)))
    needs = [read_when_defined(each) for each in run]
    while left:
        free = {at for at in left if not any(name(run[each]) in needs[at] for each in left - {at})}
        order.append(max(free, default=min(left)))
        left.remove(order[-1])
    return order


def read_when_defined(node: ast.AST) -> set[str]:
    """The names in a definition, those in the bodies of functions aside."""
    words: set[str] = set()
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name):
            words.add(part.id)
        later = part.body if isinstance(part, FUNCTIONS) else []
        pending += (each for each in ast.iter_child_nodes(part) if each not in later)
    return words
