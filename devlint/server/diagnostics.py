"""Findings in the words of the protocol."""

from __future__ import annotations

import os
from collections.abc import Callable

from lsprotocol import types
from pygls.uris import from_fs_path

from devlint.finding import CONFIDENCES, Finding, Related
from devlint.findings.source_lines import Sources
from devlint.report.text import standing
from devlint.server.analysis import Analysis
from devlint.server.positions import Positions

SOURCE = "devlint"
SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "perf": types.DiagnosticSeverity.Information,
    "note": types.DiagnosticSeverity.Hint,
}
#: Editors fade what is tagged as unnecessary.
FADED = frozenset({"DEV901"})


def severity(finding: Finding) -> types.DiagnosticSeverity:
    """The less sure a finding is, the less an editor makes of it."""
    weakened = SEVERITIES[finding.severity].value + CONFIDENCES.index(finding.confidence)
    return types.DiagnosticSeverity(min(weakened, types.DiagnosticSeverity.Hint.value))


def message(finding: Finding) -> str:
    return finding.message if finding.is_proven else f"{finding.message}\n{standing(finding)}"


class Places:
    """The places of one analysis, as the editor counts them."""

    def __init__(self, analysis: Analysis, encoding: str | None) -> None:
        self.analysis = analysis
        self.encoding = encoding
        self.positions = {
            part.uri: Positions(part.text, encoding) for part in analysis.buffer.parts
        }

    def location(self, place: Finding | Related) -> types.Location:
        if place.path != self.analysis.buffer.path:
            return elsewhere(place, self.encoding)
        uri = self.analysis.buffer.part(place.span.cell).uri
        return types.Location(uri, self.positions[uri].range(place.span))

    def covers(self, finding: Finding, uri: str, position: types.Position) -> bool:
        """Whether a finding is at a position."""
        location = self.location(finding)
        return location.uri == uri and location.range.start <= position <= location.range.end

    def diagnostic(self, finding: Finding) -> types.Diagnostic:
        return diagnostic(finding, self.location)

    def diagnostics(self) -> dict[str, list[types.Diagnostic]]:
        """Those of each part, also where there are none."""
        told: dict[str, list[types.Diagnostic]] = {uri: [] for uri in self.positions}
        for finding in self.analysis.findings or ():
            told[self.location(finding).uri].append(self.diagnostic(finding))
        return told


def diagnostic(
    finding: Finding, location: Callable[[Finding | Related], types.Location]
) -> types.Diagnostic:
    """A finding, each place of which has a location."""
    return types.Diagnostic(
        location(finding).range,
        message(finding),
        severity=severity(finding),
        code=finding.code,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in FADED else None,
        related_information=[
            types.DiagnosticRelatedInformation(location(each), each.message)
            for each in finding.related
        ],
    )


def elsewhere(place: Finding | Related, encoding: str | None) -> types.Location:
    """A place in a file that is not looked at; of a notebook, the place in its cell."""
    text = "\n".join(Sources().lines(place.path, place.span.cell))
    return types.Location(uri_of(place.path), Positions(text, encoding).range(place.span))


def uri_of(path: str) -> str:
    absolute = os.path.abspath(path)
    return from_fs_path(absolute) or absolute
