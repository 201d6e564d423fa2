"""Order of calls: clean calls of a function before another call of it lose no finding."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from .definition_order import FUNCTIONS, lines_of
from .examples import Example
from .law import Faults, lost, of_each
from .repeated_calls import CALLS, place
from .same_line import put_before

SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
#: A tensor on the CPU that nothing else knows of: no two of them clash.
CLEAN = "torch.ones(1)"


def faults(example: Example) -> Faults:
    """Six clean calls stand on the line of each call of a function that a finding is in, or at the
    call of which a finding is."""
    calls = clean_calls(example)
    return lost(example, put_before(example.code, calls)) if calls else None


LAW = of_each("order-calls", faults)


def telling_calls(example: Example) -> Iterator[tuple[ast.stmt, ast.Call]]:
    """Calls of functions that have to do with a finding, with the statements that they are in."""
    assert example.tree is not None
    if "import torch\n" not in example.code:
        return
    found = {line for line, _ in example.places}
    functions = closed_functions(example.tree)
    for statement, call in calls(example.tree):
        function = functions.get(called(call))
        if function and not found.isdisjoint([*lines_of(function), *lines_of(statement)]):
            yield statement, call


def calls(tree: ast.AST) -> Iterator[tuple[ast.stmt, ast.Call]]:
    """The calls with arguments in view, in statements that others may stand before on a line."""
    for statement in ast.walk(tree):
        if isinstance(statement, SIMPLE):
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and is_plain(node):
                    yield statement, node


def is_plain(call: ast.Call) -> bool:
    is_open = any(isinstance(each, ast.Starred) for each in call.args)
    return bool(call.args or call.keywords) and not is_open and all(k.arg for k in call.keywords)


def called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def closed_functions(tree: ast.Module) -> dict[str, ast.stmt]:
    """The functions of a program that change nothing but what they are given: those that read no
    variable of the module, nor call one that does."""
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    outer = [each for each in tree.body if not isinstance(each, (*FUNCTIONS, ast.ClassDef))]
    open_names = {
        node.id
        for statement in outer
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    while found := {n for n, each in functions.items() if not open_names.isdisjoint(words(each))}:
        open_names |= found
        functions = {n: each for n, each in functions.items() if n not in found}
    return {n: each for n, each in functions.items() if not each.decorator_list}


def words(function: ast.AST) -> set[str]:
    """The names that a function reads and does not bind itself."""
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    bound.update(node.arg for node in ast.walk(function) if isinstance(node, ast.arg))
    given = (node.names for node in ast.walk(function) if isinstance(node, ast.Global))
    return {node.id for node in names}.difference(bound).union(*given)


def clean_calls(example: Example) -> dict[tuple[int, int], str]:
    """What stands before statements, by their places."""
    texts: dict[tuple[int, int], str] = defaultdict(str)
    for statement, call in telling_calls(example):
        texts[place(statement)] += f"{clean(call)}; " * CALLS
    return texts


def clean(call: ast.Call) -> str:
    given = [CLEAN for _ in call.args] + [f"{each.arg}={CLEAN}" for each in call.keywords]
    return f"{called(call)}({', '.join(given)})"
