"""What reports for people end with: what was found, and what can be done about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from devlint.finding import Finding, Severity
from devlint.report import Report
from devlint.report.text import count

#: What findings of a severity are counted as.
NOUNS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "perf": "slow place",
    "note": "note",
}


def summary(report: Report) -> Iterator[str]:
    """The lines at the end; none where findings alone are wanted."""
    if report.is_quiet:
        return
    if report.findings or report.files:
        yield found(report)
    if report.fixable or report.held_back:
        yield remedy(report)
    if report.spared:
        which = "in the baseline, or on unchanged lines"
        yield f"{count(report.spared, 'finding')} left out ({which})."
    if report.doubtful:
        yield f"{report.doubtful} more with `--confidence low`."
    if report.left_out:
        yield report.left_out


def found(report: Report) -> str:
    """How much was found, and what explains it."""
    if not report.findings and report.fixed:
        return f"Found {count(report.fixed, 'finding')} ({report.fixed} fixed, 0 left)."
    if not report.findings:
        return f"{report.nothing}."
    files = len({finding.path for finding in report.findings})
    number = count(len(report.findings) + report.fixed, "finding")
    told = kinds(report.findings)
    if report.fixed:
        told = f"{report.fixed} fixed, {len(report.findings)} left: {told}"
    first = report.findings[0].code
    which = "it" if len(report.findings) == 1 else "the first"
    where = count(files, "file")
    return f"Found {number} ({told}) in {where}. `devlint rule {first}` explains {which}."


def kinds(findings: Sequence[Finding]) -> str:
    """How many findings there are of each severity."""
    numbers = Counter(finding.severity for finding in findings)
    return ", ".join(count(numbers[kind], noun) for kind, noun in NOUNS.items() if numbers[kind])


def remedy(report: Report) -> str:
    """What fixes could do about the findings."""
    if not report.fixable:
        return f"{report.held_back} can be fixed with `devlint --fix --unsafe-fixes`."
    line = f"{report.fixable} can be fixed with `devlint --fix`"
    unsafe = f"{report.held_back} more with `devlint --fix --unsafe-fixes`"
    return f"{line}, {unsafe}." if report.held_back else f"{line}."
