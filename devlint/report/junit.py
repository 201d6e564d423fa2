"""JUnit's XML: a suite for each file, a test that failed for each finding."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from devlint.finding import Finding
from devlint.findings.fingerprint import normalised
from devlint.report import Report
from devlint.report.colour import Palette
from devlint.report.full import block
from devlint.report.text import one_line
from devlint.rule.self_reports import FAULTS
from devlint.text.display_paths import relative

#: What no XML document may hold, not even escaped.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: The codes of files that were not tested.
ERRORS = frozenset(fault.code for fault in FAULTS if fault.severity == "error")
#: A test is named by the code of its line, of which this much is shown.
LONGEST = 100


def report(report: Report) -> Iterator[str]:
    outcomes = Counter(map(outcome, report.findings))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="devlint"{counts(report.findings or (None,), outcomes)}>'
    for path, findings in groupby(report.findings, key=lambda finding: finding.path):
        yield from suite(report, relative(path), list(findings))
    if not report.findings:
        # Many readers take a report without tests for one that was never written.
        yield '<testsuite name="devlint" tests="1" failures="0" errors="0" skipped="0">'
        yield f'<testcase classname="devlint" name={attribute(report.nothing)}/>'
        yield "</testsuite>"
    yield "</testsuites>"


def suite(report: Report, path: str, findings: Sequence[Finding]) -> Iterator[str]:
    yield f"<testsuite name={attribute(path)}{counts(findings, Counter(map(outcome, findings)))}>"
    for finding, name in zip(findings, names(report, findings), strict=True):
        line = report.file_line(finding.path, finding.span)
        yield (
            f"<testcase classname={attribute(path)} name={attribute(name)} "
            f'file={attribute(path)} line="{line}">'
        )
        kind = outcome(finding)
        about = f"type={attribute(finding.code)} message={attribute(one_line(finding.message))}"
        text = "\n".join(block(finding, report, Palette(is_coloured=False)))
        yield f"<{kind} {about}>{clean(escape(text))}</{kind}>"
        yield "</testcase>"
    yield "</testsuite>"


def outcome(finding: Finding) -> str:
    """The element that tells how a test went; a note does not let it fail."""
    if finding.severity == "note":
        return "skipped"
    return "error" if finding.code in ERRORS else "failure"


def counts(tests: Sequence[object], outcomes: Counter[str]) -> str:
    numbers = {
        "tests": len(tests),
        "failures": outcomes["failure"],
        "errors": outcomes["error"],
        "skipped": outcomes["skipped"],
    }
    return "".join(f' {name}="{number}"' for name, number in numbers.items())


def names(report: Report, findings: Sequence[Finding]) -> Iterator[str]:
    """What readers know the tests of a file by: all different, and the same when lines move."""
    seen: Counter[str] = Counter()
    for finding in findings:
        code = one_line(normalised(finding, report.lines))[:LONGEST]
        name = f"{finding.code} {finding.name}" + (f": {code}" if code else "")
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def attribute(text: str) -> str:
    return clean(quoteattr(text))


def clean(text: str) -> str:
    """XML that holds nothing forbidden, and no command of a CI system; ASCII, for whatever encoding
    the terminal has."""
    allowed = FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
    return allowed.replace("##", "#&#35;").encode("ascii", "xmlcharrefreplace").decode()
