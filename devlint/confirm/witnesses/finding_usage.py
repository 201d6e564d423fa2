"""What the lines of a finding use: their expressions, and the names in them as PyTorch has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from devlint.document.program import Program
from devlint.document.reader import document
from devlint.finding import Finding, Span
from devlint.text.source_text import UndecodableError

_NEWLINE = re.compile("\r\n|\r|\n")


class Usage:
    """The expressions of a file, by the places of findings in it."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self._sections = [*_sections(path, data)]

    def expressions(self, finding: Finding) -> list[tuple[ast.expr, bool]]:
        """What is in the lines of a finding and then of its related places, with whether it begins
        at the very place."""
        spans = [finding.span, *(each.span for each in finding.related if each.path == self.path)]
        return [each for span in spans for each in self._near(span)]

    def _near(self, span: Span) -> list[tuple[ast.expr, bool]]:
        nodes = [each for section in self._sections for each in section.near(span)]
        return sorted(nodes, key=lambda each: not each[1])

    def name(self, node: ast.expr) -> str:
        """The dotted name of what is imported; empty of anything else."""
        return next(filter(None, (each.name(node) for each in self._sections)), "")


class _Section:
    """A program of the document that this Python parses."""

    def __init__(self, program: Program, tree: ast.Module) -> None:
        self._program = program
        self._lines = _NEWLINE.split(program.text)
        self._imported = dict(_imported(tree))
        self._statements = [
            (self._place(node), node) for node in ast.walk(tree) if isinstance(node, ast.stmt)
        ]

    def near(self, span: Span) -> Iterator[tuple[ast.expr, bool]]:
        """The expressions of the innermost statement at a place, the outer ones first."""
        holding = [each for each in self._statements if _holds(each[0], span)]
        if holding:
            _, statement = max(holding, key=lambda each: (each[0].line, each[0].column))
            for node in _own(statement):
                yield node, starts_at(self._place(node), span)

    def name(self, node: ast.expr) -> str:
        if isinstance(node, ast.Attribute):
            owner = self.name(node.value)
            return owner and f"{owner}.{node.attr}"
        return self._imported.get(node.id, "") if isinstance(node, ast.Name) else ""

    def _place(self, node: ast.expr | ast.stmt) -> Span:
        line, end_line = node.lineno, node.end_lineno or node.lineno
        end_offset = node.end_col_offset or 0
        start, end = self._column(line, node.col_offset), self._column(end_line, end_offset)
        return self._program.span(Span(None, line, start, end_line, end))

    def _column(self, line: int, offset: int) -> int:
        return 1 + len(self._lines[line - 1].encode()[:offset].decode())


def starts_at(place: Span, span: Span) -> bool:
    return (place.cell, place.line, place.column) == (span.cell, span.line, span.column)


def _sections(path: str, data: bytes) -> Iterator[_Section]:
    try:
        programs: Sequence[Program] = document(path, data).programs
    except UndecodableError:
        return
    for program in programs:
        try:
            yield _Section(program, ast.parse(program.text))
        except (SyntaxError, ValueError, RecursionError):
            continue


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that imports bind, and what they are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                top = each.name.partition(".")[0]
                yield (each.asname, each.name) if each.asname else (top, top)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                yield each.asname or each.name, f"{node.module}.{each.name}"


def _holds(place: Span, span: Span) -> bool:
    return (
        place.cell == span.cell
        and (place.line, place.column) <= (span.line, span.column)
        and (span.line, span.column) <= (place.end_line, place.end_column)
    )


def _own(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, without those of the statements in it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.expr):
            yield node
        waiting += [each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.stmt)]
