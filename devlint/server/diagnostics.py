"""Findings in the words of the protocol."""

from __future__ import annotations

from lsprotocol import types

from devlint.finding import CONFIDENCES, Finding, Related
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
        self.positions = {
            part.uri: Positions(part.text, encoding) for part in analysis.buffer.parts
        }

    def location(self, place: Finding | Related) -> types.Location:
        uri = self.analysis.buffer.part(place.span.cell).uri
        return types.Location(uri, self.positions[uri].range(place.span))

    def diagnostic(self, finding: Finding) -> types.Diagnostic:
        return types.Diagnostic(
            self.location(finding).range,
            message(finding),
            severity=severity(finding),
            code=finding.code,
            source=SOURCE,
            tags=[types.DiagnosticTag.Unnecessary] if finding.code in FADED else None,
            related_information=[
                types.DiagnosticRelatedInformation(self.location(each), each.message)
                for each in finding.related
            ],
        )

    def diagnostics(self) -> dict[str, list[types.Diagnostic]]:
        """Those of each part, also where there are none."""
        told: dict[str, list[types.Diagnostic]] = {uri: [] for uri in self.positions}
        for finding in self.analysis.findings or ():
            told[self.location(finding).uri].append(self.diagnostic(finding))
        return told
