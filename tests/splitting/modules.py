"""Cuts a program into modules: its definitions move into files of their own, line by line.

What stood on a line stands on the same line of the file that it went to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef"
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
MAIN = "main.py"


@dataclass
class Part:
    """A module in the making: the statements that went there, and the names that they define."""

    path: str
    statements: list[ast.stmt] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.path.removesuffix(".py")

    @property
    def defined(self) -> set[str]:
        return {name for each in self.statements for name in bound(each)}

    @property
    def used(self) -> set[str]:
        return {name for each in self.statements for name in read(each)}


def modules(text: str) -> Mapping[str, str] | None:
    """The files that a program becomes, classes apart from functions; None where nothing can move.

    A definition moves with the constants that it reads, unless it reads what the program changes.
    """
    tree = ast.parse(text)
    head = first_import(tree)
    moved = movable(tree)
    if head is None or not any(isinstance(each, DEFINITIONS) for each in moved):
        return None
    parts = apart(moved)
    main = Part(MAIN, [e for e in tree.body if e not in moved and not isinstance(e, IMPORTS)])
    imports = [each for each in tree.body if isinstance(each, IMPORTS)]
    every = [*parts, main]
    return {each.path: file(text, each, imports, every, head) for each in every}


def first_import(tree: ast.Module) -> ast.stmt | None:
    """The first import that can have another one behind it."""
    plain = (each for each in tree.body if isinstance(each, IMPORTS))
    return next((e for e in plain if getattr(e, "module", "") != "__future__"), None)


def movable(tree: ast.Module) -> list[ast.stmt]:
    """The definitions, and the constants, that read nothing but imports and each other."""
    binders = [each for each in tree.body if not isinstance(each, IMPORTS)]
    counts = [name for each in binders for name in bound(each)]
    free = [e for e in binders if isinstance(e, DEFINITIONS) or is_constant(e)]
    free = [e for e in free if all(counts.count(name) == 1 for name in bound(e))]
    free = [e for e in free if bound(e).isdisjoint(changed(tree))]
    while True:
        held = {name for each in binders if each not in free for name in bound(each)}
        closed = [each for each in free if held.isdisjoint(read(each))]
        if len(closed) == len(free):
            break
        free = closed
    needed = {name for each in free if isinstance(each, DEFINITIONS) for name in read(each)}
    return [e for e in free if isinstance(e, DEFINITIONS) or not bound(e).isdisjoint(needed)]


def is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)


def bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module binds."""
    if isinstance(statement, DEFINITIONS):
        return {statement.name}
    names = (e for e in ast.walk(statement) if isinstance(e, ast.Name))
    return {each.id for each in names if not isinstance(each.ctx, ast.Load)}


def read(statement: ast.stmt) -> set[str]:
    return {e.id for e in ast.walk(statement) if isinstance(e, ast.Name)} - bound(statement)


def changed(tree: ast.Module) -> set[str]:
    """The names that functions rebind, and those that attributes or items are assigned of."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            found.update(node.names)
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            found.update(each.id for each in ast.walk(node.value) if isinstance(each, ast.Name))
    return found


def apart(moved: Sequence[ast.stmt]) -> list[Part]:
    """Classes in one module, functions in another, unless they need each other."""
    classes: list[ast.stmt] = [each for each in moved if isinstance(each, ast.ClassDef)]
    models, helpers = Part("models.py", classes), Part("helpers.py")
    helpers.statements += (each for each in moved if each not in classes)
    if not models.used.isdisjoint(helpers.defined) and not helpers.used.isdisjoint(models.defined):
        return [Part("models.py", list(moved))]
    return [each for each in (models, helpers) if each.statements]


def file(
    text: str, part: Part, imports: Sequence[ast.stmt], every: Sequence[Part], head: ast.stmt
) -> str:
    """The lines of a part where they were, and the imports, with those of the other parts."""
    kept = {line for each in (*part.statements, *imports) for line in lines_of(each)}
    lines = [line if number in kept else "" for number, line in enumerate(text.split("\n"), 1)]
    if part.path == MAIN:
        elsewhere = {n for e in every if e is not part for s in e.statements for n in lines_of(s)}
        lines = [each if n not in elsewhere else "" for n, each in enumerate(text.split("\n"), 1)]
    links = "".join(f"; {each}" for each in linking(part, every))
    last = head.end_lineno or head.lineno
    code, mark, comment = lines[last - 1].partition("  #")
    lines[last - 1] = f"{code}{links}{mark}{comment}"
    return "\n".join(lines)


def linking(part: Part, every: Sequence[Part]) -> Iterator[str]:
    for other in every:
        names = sorted(part.used & other.defined) if other is not part else []
        if names and other.path != MAIN:
            yield f"from {other.name} import {', '.join(names)}"


def lines_of(statement: ast.stmt) -> range:
    first = min([statement.lineno, *(e.lineno for e in getattr(statement, "decorator_list", ()))])
    return range(first, (statement.end_lineno or first) + 1)
