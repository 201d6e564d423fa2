"""The report of a shifted run: events as findings, in every format that devlint writes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from devlint.confirm.dry_run.report.event_findings import alone
from devlint.confirm.shift.tally import ShiftedEvent, Tally
from devlint.files.atomic_write import OverwriteError, put
from devlint.finding import Evidence, Finding
from devlint.findings.source_lines import Sources
from devlint.report import FORMATS, Report, writer
from devlint.report.text import count
from devlint.rule.self_reports import BreaksWhenShifted
from devlint.text.reading import reason

if TYPE_CHECKING:
    from devlint.rule.registry import AnyRule

#: The formats that are known by the suffix of a file.
_BY_SUFFIX = {
    ".sarif": "sarif",
    ".html": "html",
    ".json": "json",
    ".jsonl": "json-lines",
    ".xml": "junit",
}
_OTHERWISE = "full"


#: What shifted calls run on.
EMULATED = "emulated CUDA"


class ReportError(Exception):
    """There is no report; the message says why."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    """`output_format`: as the suffix of the path says, if it is not named."""

    path: str
    output_format: str

    @staticmethod
    def of(path: str, output_format: str | None) -> ReportFile:
        """`path` from the working directory of today, which tests may leave.

        Raises `ReportError` for a format that there is not.
        """
        suffix = os.path.splitext(path)[1].lower()
        known = output_format or _BY_SUFFIX.get(suffix, _OTHERWISE)
        if known not in FORMATS:
            raise ReportError(f"no format {known!r}: {', '.join(FORMATS)}")
        return ReportFile(os.path.abspath(path), known)

    def write(self, tally: Tally, torch: str) -> None:
        """Whole or not at all; `torch`: its version. Raises `ReportError`."""
        findings = findings_of(tally, torch)
        content = "".join(f"{line}\n" for line in writer(self.output_format)(_about(findings)))
        try:
            put(self.path, content.encode(errors="backslashreplace"))
        except (OSError, OverwriteError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise ReportError(f"cannot write {self.path}: {why}") from error


def findings_of(tally: Tally, torch: str) -> list[Finding]:
    """Those of all events, as reports have them."""
    found = (finding(each, torch) for each in tally.events)
    return sorted(found, key=lambda each: (each.path, each.span))


def finding(each: ShiftedEvent, torch: str) -> Finding:
    """DEV911 at the line that crashes; `torch`: its version."""
    error = f"{each.event.error}: {each.event.message}"
    evidence = Evidence("confirmed", EMULATED, torch, error)
    found = alone(each.event, evidence, each.test, BreaksWhenShifted)
    return replace(found, message=f"{found.message} {context(each)}")


def context(each: ShiftedEvent) -> str:
    return f"(in a call of `{each.callee}` by {each.test})"


def _about(findings: Sequence[Finding]) -> Report:
    sources = Sources()
    files = len({each.path for each in findings})
    return Report(
        findings,
        files,
        sources.lines,
        rules=_rules,
        exit_code=1 if findings else 0,
        file_line=sources.file_line,
        is_partial=True,
    )


def _rules() -> Sequence[AnyRule]:
    from devlint.rule.registry import every_rule

    return every_rule()


def account(tally: Tally) -> str:
    """The run in a line."""
    counts = tally.counts
    parts = [f"{count(counts['calls'], 'outermost call')}, {counts['shifted']} shifted"]
    told = {"traced": "traced", "not moved": "of modules that refuse to be moved"}
    parts += [f"{counts[name]} {words}" for name, words in told.items() if counts[name]]
    if counts["not carried"]:
        parts.append(f"{counts['not carried']} with arguments that were not carried")
    return f"{', '.join(parts)}; {refused(tally)}"


def refused(tally: Tally) -> str:
    """What CUDA refused, in words."""
    unjudged = f"{sum(tally.unjudged.values())} not judged"
    if tally.unjudged:
        unjudged += f", in {count(tally.counts['unjudged calls'], 'call')}"
    places = count(len(tally.events), "place")
    broken = (
        f"{count(tally.counts['events'], 'event')} in {places}" if tally.events else "no events"
    )
    return f"{broken}, {unjudged}"
