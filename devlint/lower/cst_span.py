"""Spans of LibCST nodes, found by generating the code once, as `ast` would give them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from devlint.finding import Span
from devlint.lower import ir
from devlint.lower.cst_expression import Parentheses
from devlint.text.source_text import NEWLINE, line_starts

_TRIVIA = re.compile(r"(?:[\s\\]|#[^\r\n]*)*")


def spans(offsets: Callable[[], Offsets], nodes: Iterable[ir.Node]) -> dict[ir.Node, Span]:
    laid_out = offsets()
    return {node: laid_out.span(*laid_out.range(node.at)) for node in nodes}


class Offsets(CodegenState):
    """Where each node of a module begins and ends in its code.

    `outer` counts a node's parentheses and whitespace in, `inner` does not. `indents` are the
    tokens that a line inside the node is indented by, `holders` the nodes directly around it.
    """

    def __init__(self, module: cst.Module) -> None:
        super().__init__(module.default_indent, module.default_newline)
        self.module = module
        self.offset = 0
        self.outer: dict[int, tuple[int, int]] = {}
        self.inner: dict[int, tuple[int, int]] = {}
        self.indents: dict[int, tuple[str, ...]] = {}
        self.holders: dict[int, cst.CSTNode | None] = {}
        self._open: list[tuple[cst.CSTNode | None, int]] = [(None, 0)]
        self._indent: tuple[str, ...] = ()
        module._codegen(self)
        self.code = "".join(self.tokens)
        self.lines = line_starts(self.code)

    @cached_property
    def rows(self) -> list[str]:
        """The lines of the code."""
        return NEWLINE.split(self.code)

    @cached_property
    def sections(self) -> list[int]:
        """Where the statements of the module begin, with what stands above them, and its end."""
        starts = [self.outer[id(each)][0] for each in self.module.body[1:]]
        return [0, *starts, len(self.code)]

    def around(self, at: object) -> Iterator[cst.CSTNode]:
        """A node and those that it is in, from inside out."""
        node = at if isinstance(at, cst.CSTNode) and id(at) in self.holders else None
        while node is not None:
            yield node
            node = self.holders[id(node)]

    def span(self, start: int, end: int) -> Span:
        return Span(None, *self._place(start), *self._place(end))

    def offsets_of(self, span: Span) -> tuple[int, int]:
        """Where a span begins and ends in the code."""
        start = self.lines[span.line - 1] + span.column - 1
        return start, self.lines[span.end_line - 1] + span.end_column - 1

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.lines, offset)
        return line, offset - self.lines[line - 1] + 1

    def increase_indent(self, value: str) -> None:
        super().increase_indent(value)
        self._indent = tuple(self.indent_tokens)

    def decrease_indent(self) -> None:
        super().decrease_indent()
        self._indent = tuple(self.indent_tokens)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.offset += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.holders[id(node)] = self._open[-1][0]
        self._open.append((node, self.offset))
        self.indents[id(node)] = self._indent

    def after_codegen(self, node: cst.CSTNode) -> None:
        self.outer[id(node)] = self._open.pop()[1], self.offset

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Iterator[None]:
        start = self.offset
        yield
        self.inner[id(node)] = start, self.offset

    def range(self, at: Any) -> tuple[int, int]:
        match at:
            case cst.Module():
                return 0, 0
            case cst.Tuple() | cst.GeneratorExp() if at.lpar:
                return self.outer[id(at.lpar[-1])][0], self.outer[id(at.rpar[0])][1]
            case cst.Tuple():
                return self.inner[id(at)][0], self._end_with_comma(at.elements[-1])
            case Parentheses(call):
                start = self._after("(", self.outer[id(call.func)][1]) - 1
                return start, self.outer[id(call.args[0])][1] + 1
            case cst.SubscriptElement(slice=cst.Slice() as bounds):
                return self.inner[id(at)][0], self._end_of_slice(bounds)
            case (cst.SubscriptElement(), *_):
                return self.range(at[0])[0], self._end_with_comma(at[-1])
            case (first, last):
                return self.range(first)[0], self.range(last)[1]
            case cst.BaseCompoundStatement() | cst.ExceptHandler() | cst.ExceptStarHandler():
                return self.inner[id(at)][0], self._end_of_block(at)
        return self.inner[id(at)]

    def _after(self, token: str, offset: int) -> int:
        """The end of `token`, which follows `offset` or whitespace and comments after it."""
        start = _TRIVIA.match(self.code, offset)
        assert start is not None
        assert self.code.startswith(token, start.end())
        return start.end() + len(token)

    def _end_with_comma(self, element: Any) -> int:
        end = self.range(element)[1]
        return self._after(",", end) if isinstance(element.comma, cst.Comma) else end

    def _end_of_slice(self, bounds: cst.Slice) -> int:
        if bounds.step is not None:
            return self.outer[id(bounds.step)][1]
        if isinstance(bounds.second_colon, cst.Colon):
            return self._after(":", self.outer[id(bounds.second_colon)][0])
        if bounds.upper is not None:
            return self.outer[id(bounds.upper)][1]
        return self._after(":", self.outer[id(bounds.first_colon)][0])

    def _end_of_block(self, node: Any) -> int:
        while (part := _last_part(node)) is not node:
            node = part
        end = self.inner[id(node)][1]
        # `ast` ends a block after its last token, be it a semicolon.
        return self._after(";", end) if isinstance(node.semicolon, cst.Semicolon) else end


def _last_part(node: Any) -> Any:
    match node:
        case cst.BaseSmallStatement():
            return node
        case cst.Match():
            return node.cases[-1]
        case cst.Try() | cst.TryStar():
            handler = node.handlers[-1] if node.handlers else node.body
            return node.finalbody or node.orelse or handler
        case cst.If() | cst.For() | cst.While():
            return node.orelse or node.body
        case cst.IndentedBlock() | cst.SimpleStatementLine() | cst.SimpleStatementSuite():
            return node.body[-1]
    return node.body
