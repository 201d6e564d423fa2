"""What rewritings ask of a program's syntax, and the nodes that they put in."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from tests.laws.definition_order import DEFINITIONS, FUNCTIONS

IMPORTS = (ast.Import, ast.ImportFrom)
#: What has variables of its own.
SCOPES = (*DEFINITIONS, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
Scope: TypeAlias = "ast.Module | Function"
Node = TypeVar("Node", bound=ast.AST)
BUILTINS = frozenset(dir(builtins)) | {"reveal_device", "__file__", "__name__"}
#: What ties an expression to the place that it stands in.
TIED = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def scopes(tree: ast.Module) -> list[Scope]:
    """The module and all functions."""
    return [tree, *(each for each in ast.walk(tree) if isinstance(each, FUNCTIONS))]


def shared_names(tree: ast.Module) -> set[str]:
    """The variables that functions bind which are not theirs."""
    kinds = (ast.Global, ast.Nonlocal)
    return everything_stored(*(each for each in ast.walk(tree) if isinstance(each, kinds)))


def defined(body: Iterable[ast.stmt]) -> set[str]:
    """The functions and classes of a block."""
    return {each.name for each in body if isinstance(each, DEFINITIONS)}


def imported(tree: ast.AST) -> set[str]:
    """The names that imports bind."""
    aliases = (each for node in ast.walk(tree) if isinstance(node, IMPORTS) for each in node.names)
    return {(each.asname or each.name).partition(".")[0] for each in aliases}


def constant_names(tree: ast.Module) -> set[str]:
    """What is no variable: builtins, imports, and functions and classes of the module."""
    return {*BUILTINS, *imported(tree), *defined(tree.body)}


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """What runs in the scope of a module or a function; of scopes in it the outermost node."""
    pending = list(ast.iter_child_nodes(scope))
    while pending:
        part = pending.pop()
        yield part
        if not isinstance(part, SCOPES):
            pending += ast.iter_child_nodes(part)


def stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that nodes bind or delete, once for each time."""
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, (*DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            yield node.name or ""
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from node.names
        elif isinstance(node, IMPORTS):
            yield from imported(node)


def everything_stored(*parts: ast.AST) -> set[str]:
    return {name for part in parts for name in stored(ast.walk(part))}


def free(node: ast.AST) -> dict[str, None]:
    """The names that an expression takes from around it, in the order of the text."""
    own: set[str] = set()
    if isinstance(node, ast.Lambda):
        own = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    elif isinstance(node, COMPREHENSIONS):
        own = everything_stored(*(each.target for each in node.generators))
    elif isinstance(node, ast.Name):
        return {node.id: None}
    found = (name for child in ast.iter_child_nodes(node) for name in free(child))
    return {name: None for name in found if name not in own}


def is_tied(node: ast.AST) -> bool:
    """Whether it means something else in another function: `super()`, `yield`, a private name."""
    return any(
        isinstance(part, TIED)
        or (isinstance(part, ast.Name) and part.id in ("super", "locals", "reveal_device"))
        or (isinstance(part, ast.Attribute) and part.attr.startswith("__"))
        for part in ast.walk(node)
    )


def parameters(function: Function | ast.Lambda) -> list[ast.arg]:
    """Those that may be given by position."""
    return [*function.args.posonlyargs, *function.args.args]


def every_parameter(function: Function | ast.Lambda) -> list[ast.arg]:
    given = function.args
    rest = [each for each in (given.vararg, given.kwarg) if each]
    return [*parameters(function), *given.kwonlyargs, *rest]


def with_parameters(names: Sequence[str]) -> ast.arguments:
    given = [ast.arg(name) for name in names]
    return ast.arguments(posonlyargs=[], args=given, kwonlyargs=[], kw_defaults=[], defaults=[])


def function(name: str, names: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
    made = ast.FunctionDef(name=name, args=with_parameters(names), body=body, decorator_list=[])
    return untyped(made)


def class_of(name: str, bases: list[ast.expr], body: list[ast.stmt]) -> ast.ClassDef:
    made = ast.ClassDef(name=name, bases=bases, keywords=[], body=body, decorator_list=[])
    return untyped(made)


def untyped(node: Node) -> Node:
    """Without parameters for types, which Python knows from 3.12 on."""
    if "type_params" in node._fields:
        node.type_params = []  # type: ignore[attr-defined]
    return node


def call(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    return ast.Call(func=function, args=list(arguments), keywords=[])


def name(word: str) -> ast.Name:
    return ast.Name(word, ast.Load())


def assigned(word: str, value: ast.expr) -> ast.Assign:
    return ast.Assign(targets=[ast.Name(word, ast.Store())], value=value)


def dotted(text: str) -> ast.expr:
    """`a.b.c`, on no line yet."""
    first, *rest = text.split(".")
    node: ast.expr = name(first)
    for word in rest:
        node = ast.Attribute(node, word, ast.Load())
    return node


def preamble(tree: ast.Module) -> int:
    """How many statements at the top have to stay there: a docstring and `__future__`."""
    many = int(ast.get_docstring(tree) is not None)
    while many < len(tree.body) and is_future(tree.body[many]):
        many += 1
    return many


def is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def with_import(tree: ast.Module, module: str) -> ast.Module | None:
    """The program with one more import. None where its name means something else."""
    if module in everything_stored(tree) and module not in own_imports(tree):
        return None
    tree.body.insert(preamble(tree), ast.Import([ast.alias(module)]))
    return tree


def own_imports(tree: ast.Module) -> set[str]:
    plain = (each for each in tree.body if isinstance(each, ast.Import))
    return {alias.name for each in plain for alias in each.names if not alias.asname}


def body_start(body: Sequence[ast.stmt]) -> int:
    """Where a body goes on after its docstring."""
    first = body[0]
    return int(isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant))
