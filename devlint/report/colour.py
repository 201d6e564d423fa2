"""ANSI colours, and the line that opens a finding in the formats for people."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.finding import Finding, Severity, Span
from devlint.report.text import one_line, visible

SEVERITIES: dict[Severity, str] = {
    "error": "1;31",
    "warning": "1;33",
    "perf": "1;35",
    "note": "1;36",
}


@dataclass(frozen=True, slots=True)
class Palette:
    """Paints nothing unless `is_coloured`."""

    is_coloured: bool

    def bold(self, text: str) -> str:
        return self._paint("1", text)

    def faint(self, text: str) -> str:
        return self._paint("2", text)

    def blue(self, text: str) -> str:
        return self._paint("1;34", text)

    def by(self, severity: Severity, text: str) -> str:
        return self._paint(SEVERITIES[severity], text)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_coloured and text else text


def headline(finding: Finding, palette: Palette) -> str:
    """`path:line:column: DEV101 error message [name]`."""
    where = palette.bold(place(finding.path, finding.span))
    return f"{where}: {told(finding, palette)}"


def told(finding: Finding, palette: Palette) -> str:
    what = palette.by(finding.severity, f"{finding.code} {finding.severity}")
    return f"{what} {one_line(finding.message)} {palette.faint(f'[{finding.name}]')}"


def place(path: str, span: Span) -> str:
    return f"{visible(path)}:{position(span)}"


def position(span: Span) -> str:
    cell = "" if span.cell is None else f"cell {span.cell}:"
    return f"{cell}{span.line}:{span.column}"
