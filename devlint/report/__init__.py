"""Findings written out, one file per format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, get_args

from devlint.finding import Finding, Related, Span
from devlint.findings.fingerprint import Lines, fingerprints
from devlint.report.text import count
from devlint.settings import OutputFormat

if TYPE_CHECKING:
    from devlint.rule.registry import AnyRule

#: The module of each output format; its `report` writes one. Imported when it is asked for.
FORMATS = {name: f"devlint.report.{name.replace('-', '_')}" for name in get_args(OutputFormat)}

#: Those that end with a summary.
FOR_PEOPLE = ("full", "concise", "grouped")


def as_they_are(path: str, span: Span) -> int:
    return span.line


@dataclass(frozen=True, slots=True)
class Report:
    """What a format may write about."""

    findings: Sequence[Finding]
    files: int
    #: Reads the lines of a path, or of a cell of it.
    lines: Lines
    is_coloured: bool = False
    #: Gives all rules, those of findings among them: few formats ask, and to load them takes time.
    rules: Callable[[], Sequence[AnyRule]] = tuple
    #: What could not be done, a line each, with its severity before a colon.
    complaints: Sequence[str] = ()
    exit_code: int = 0
    #: The line of the file, as other programs count, in which a span begins.
    file_line: Callable[[str, Span], int] = as_they_are
    #: How many findings were fixed, can be, and can be by unsafe fixes.
    fixed: int = 0
    fixable: int = 0
    held_back: int = 0
    #: How many are not reported, for they are not new.
    spared: int = 0
    #: How many files were not read, for nothing in them is new.
    unread: int = 0
    #: How many are not reported, for they are not sure enough.
    doubtful: int = 0
    #: How many calls were not followed because a budget was spent.
    exhausted: int = 0
    #: Whether what was run was not seen as a whole.
    is_partial: bool = False
    #: Whether findings alone are wanted, and nothing about them as a whole.
    is_quiet: bool = False

    @property
    def nothing(self) -> str:
        """What is said where there are no findings."""
        problems = "No new device problems" if self.spared or self.unread else "No device problems"
        how = "seen in what ran of" if self.is_partial else "found in"
        return f"{problems} {how} {count(self.files, 'file')}"

    @property
    def left_out(self) -> str:
        """What the analysis did not look at; nothing if it saw all."""
        if not self.exhausted:
            return ""
        return f"{count(self.exhausted, 'call')} not followed, beyond the budget of the analysis."

    def line(self, path: str, cell: int | None, number: int) -> str:
        """One line of a file or cell, counted from 1; empty when there is none."""
        lines = self.lines(path, cell)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def fingerprinted(self) -> Iterator[tuple[Finding, str]]:
        """The findings, each with its name."""
        return zip(self.findings, fingerprints(self.findings, self.lines), strict=True)

    def rule(self, code: str) -> AnyRule | None:
        return next((rule for rule in self.rules() if rule.code == code), None)


def writer(name: str) -> Callable[[Report], Iterator[str]]:
    """The function that writes a report in the format `name`, as lines."""
    function: Callable[[Report], Iterator[str]] = import_module(FORMATS[name]).report
    return function


def steps(finding: Finding) -> list[Finding | Related]:
    """The path of a value in the order of time, the finding among the places that explain it."""
    later = [each for each in finding.related if each.is_later]
    return [*finding.related[: len(finding.related) - len(later)], finding, *later]
