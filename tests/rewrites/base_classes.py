"""A base class: methods of a class that it inherits instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.laws.definition_order import FUNCTIONS

from .places import placed
from .program import Program
from .syntax import class_of, name


def base_class(program: Program) -> ast.Module | None:
    """All methods but the last move to a base class; an only one moves."""
    tree, words = program.tree(), program.words()
    body: list[ast.stmt] = []
    for each in tree.body:
        if isinstance(each, ast.ClassDef) and is_divisible(each):
            body.append(base_of(each, next(words).upper()))
        body.append(each)
    is_changed = len(body) > len(tree.body)
    tree.body = body
    return tree if is_changed else None


def is_divisible(node: ast.ClassDef) -> bool:
    """Whether it does not matter in which class its methods are."""
    plain = not node.decorator_list and not node.keywords
    return plain and any(methods(node)) and not any(map(is_in_place, ast.walk(node)))


def methods(node: ast.ClassDef) -> Iterator[ast.stmt]:
    return (each for each in node.body if isinstance(each, FUNCTIONS))


def is_in_place(node: ast.AST) -> bool:
    """A private name, `super` with the class, a decorator: they name where they stand."""
    if isinstance(node, ast.Attribute):
        return node.attr.startswith("__") and not node.attr.endswith("__")
    if isinstance(node, ast.Call):
        return bool(node.args) and isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, FUNCTIONS) and any(map(is_local, node.decorator_list))


def is_local(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).endswith((".setter", ".getter", ".deleter"))


def base_of(node: ast.ClassDef, word: str) -> ast.ClassDef:
    """A new base class with methods that the class loses."""
    every = list(methods(node))
    moved = every[:-1] or every
    rest = [each for each in node.body if each not in moved]
    base = placed(class_of(word, node.bases, moved), node.lineno)
    node.bases = [name(word)]
    node.body = rest or [placed(ast.Pass(), node.lineno)]
    return base
