"""Texts through the two front ends, and what is said of those that cannot pass."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.document.program import Program
from devlint.document.reader import document
from devlint.finding import Finding, Span
from devlint.findings.suppressions import Suppressions
from devlint.lower.limits import excess, obstacle
from devlint.lower.lowered import Lowered
from devlint.rule.self_reports import SkippedFile, UnreadableFile
from devlint.text.source_text import UndecodableError, decode


class RefusedError(Exception):
    """A text that goes no further; `fault` says why, as does `gap` of what LibCST alone lacks."""

    def __init__(self, fault: Finding, gap: str = "") -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.gap = gap


def screened(path: str, text: str) -> Lowered | None:
    """The text through `ast`; None when this Python does not parse it. Raises `RefusedError`."""
    from devlint.lower import from_ast

    if reason := excess(text):
        raise beyond(path, reason)
    try:
        return from_ast.lower(text)
    except (SyntaxError, ValueError):
        return None


def final(path: str, text: str, screen: Lowered | None) -> tuple[Lowered, Sequence[Finding]]:
    """The text as findings show it: through LibCST or, where that cannot take what `ast` does,
    through `ast`, which makes no fixes, with a remark that says so. Raises `RefusedError`."""
    try:
        return concrete(path, text), ()
    except RefusedError as refused:
        lowered = screen or screened(path, text)
        if lowered is None or not refused.gap:
            raise
        return lowered, [SkippedFile.at(path, f"checked, but no fixes are made: {refused.gap}")]


def concrete(path: str, text: str) -> Lowered:
    """The text through LibCST. Raises `RefusedError`."""
    if reason := obstacle(text):
        raise beyond(path, reason)

    from libcst import ParserSyntaxError

    from devlint.lower import from_cst

    try:
        return from_cst.lower(text)
    except ParserSyntaxError as error:
        raise refusal(path, text) from error


def refusal(path: str, text: str) -> RefusedError:
    """Why LibCST refused a text, in the words of Python's own parser."""
    from devlint.lower import from_ast

    try:
        from_ast.lower(text)
    except SyntaxError as error:
        line = error.lineno or 1
        column = max(error.offset or 1, 1)
        span = Span(None, line, column, line, column)
        message = f"cannot parse: {error.msg}, line {line}"
        return RefusedError(UnreadableFile.at(path, message, span))
    except ValueError as error:
        return RefusedError(UnreadableFile.at(path, f"cannot parse: {error}"))
    return beyond(path, "LibCST cannot parse syntax that this Python accepts")


def beyond(path: str, reason: str) -> RefusedError:
    return RefusedError(SkippedFile.at(path, f"skipped: {reason}"), reason)


def unreadable(path: str, data: bytes) -> Finding | None:
    """Why Python cannot read a file, whatever is in it, unless that says to leave it alone."""
    try:
        for program in document(path, data, is_whole=True).programs:
            if type(program) is Program:
                check_syntax(path, program.text)
    except UndecodableError as error:
        return UnreadableFile.at(path, f"cannot read: {error}")
    except RefusedError as refused:
        return None if Suppressions(decode(data)).is_whole_file else refused.fault
    return None


def check_syntax(path: str, text: str) -> None:
    """Raises `RefusedError` for what is no Python; of what is too long nothing is known."""
    from devlint.lower import from_ast

    if not excess(text) and not from_ast.compiles(text):
        concrete(path, text)  # It may be newer than the Python that runs.
