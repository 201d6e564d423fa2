"""The import that a fix needs, where a program lacks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst


def imported(old: cst.Module, package: str) -> cst.Module:
    """A module with `import package`: above the first import from it, or the first of all, behind
    the docstring and what comes from `__future__`."""
    if any(package in bound(each) for each in imports(old)):
        return old
    body = list(old.body)
    index = place(body, package)
    new: Any = cst.parse_statement(f"import {package}")
    if index < len(body):
        below: Any = body[index]
        new = new.with_changes(leading_lines=below.leading_lines)
        body[index] = below.with_changes(leading_lines=[])
    return old.with_changes(body=[*body[:index], new, *body[index:]])


def place(body: list[Any], package: str) -> int:
    """Where in the body of a module the import belongs."""
    lines = [set(sources(each)) for each in body]
    first = next((i for i, names in enumerate(lines) if package in names), None)
    if first is not None:
        return first
    free = next((i for i, each in enumerate(body) if not is_head(each)), len(body))
    return next((i for i, names in enumerate(lines) if names and i >= free), free)


def is_head(statement: cst.CSTNode) -> bool:
    """Whether only a docstring or an import from `__future__` may come before it."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString())]):
            return True
    return "__future__" in sources(statement)


def sources(statement: cst.CSTNode) -> Iterator[str]:
    """The packages that a line imports from."""
    for each in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
        if isinstance(each, cst.Import):
            yield from (first_name(alias.name) for alias in each.names)
        elif isinstance(each, cst.ImportFrom) and each.module and not each.relative:
            yield first_name(each.module)


def bound(statement: cst.Import) -> Iterator[str]:
    for alias in statement.names:
        if alias.asname is None:
            yield first_name(alias.name)


def imports(module: cst.Module) -> Iterator[cst.Import]:
    """Those that bind names of the module."""
    pending: list[cst.CSTNode] = [module]
    while pending:
        each = pending.pop()
        if isinstance(each, cst.Import):
            yield each
        if not isinstance(each, (cst.FunctionDef, cst.ClassDef, cst.BaseExpression)):
            pending += each.children


def first_name(name: cst.CSTNode) -> str:
    while isinstance(name, cst.Attribute):
        name = name.value
    return name.value if isinstance(name, cst.Name) else ""
