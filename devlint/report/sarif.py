"""SARIF 2.1.0, the exchange format of analysis results.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from devlint.finding import Confidence, Edit, Finding, Patch, Related, Severity, Span
from devlint.report import Report, steps
from devlint.report.text import dumped, visible
from devlint.rule.page import explanation
from devlint.rule.registry import AnyRule
from devlint.text.display_paths import checkout, relative

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
#: Paths are relative to this: the checkout, whose place on a disk says nothing to a reader.
BASE = "SRCROOT"
LEVELS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "perf": "warning",
    "note": "note",
}
#: How sure a result is, of a hundred.
RANKS: dict[Confidence, float] = {"high": 95.0, "medium": 60.0, "low": 20.0}
LINK = re.compile(r"\[([^\[\]]*)\]\(")
BRACES = re.compile(r"\{\d+\}")

Json = dict[str, Any]


def report(report: Report) -> Iterator[str]:
    names = {finding.code: finding.name for finding in report.findings}
    codes = sorted(names)
    driver = {
        "name": "devlint",
        "version": version("devlint"),
        "rules": [descriptor(code, names[code], report.rule(code)) for code in codes],
    }
    results = [
        result(report, finding, codes.index(finding.code), fingerprint)
        for finding, fingerprint in report.fingerprinted()
    ]
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation(report)],
        "originalUriBaseIds": {BASE: {"description": text("The checkout that was analysed.")}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": results,
    }
    yield dumped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, is_indented=True)


def descriptor(code: str, name: str, rule: AnyRule | None) -> Json:
    if rule is None:
        told = text(name)
        return {"id": code, "shortDescription": told, "fullDescription": told, "help": told}
    help_text = explanation(rule)
    is_slow = rule.severity == "perf"
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": text(rule.summary),
        "fullDescription": text(reason(help_text) or rule.summary),
        "help": {"text": help_text, "markdown": help_text},
        "defaultConfiguration": {"level": LEVELS[rule.severity], "enabled": not rule.is_opt_in},
        "properties": {
            "tags": ["pytorch", "device", "performance" if is_slow else "correctness"],
            "precision": "high",
            "problem.severity": "recommendation" if is_slow else LEVELS[rule.severity],
        },
    }


def reason(page: str) -> str:
    """Why what a rule finds is bad: the first paragraph that its page says so in."""
    _, _, told = page.partition("## Why is this bad?\n\n")
    return " ".join(told.partition("\n\n")[0].split())


def result(report: Report, finding: Finding, index: int, fingerprint: str) -> Json:
    told = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "rank": RANKS[finding.confidence],
        "message": text(finding.message),
        "locations": [location(report, finding.path, finding.span)],
        "partialFingerprints": {"devlint/v1": fingerprint},
    }
    if finding.related:
        told["relatedLocations"] = [
            {"id": number, **location(report, each.path, each.span, each.message)}
            for number, each in enumerate(finding.related, 1)
        ]
        told["codeFlows"] = [flow(report, steps(finding))]
    if finding.fix is not None and all(edit.span.cell is None for edit in finding.fix.edits):
        told["fixes"] = [fix(finding.path, finding.fix)]
    properties: Json = {}
    if finding.presumed:
        properties["presumed"] = [asdict(each) for each in finding.presumed]
    if finding.evidence is not None:
        told["message"] = text(f"{finding.message} ({finding.evidence})")
        properties["evidence"] = asdict(finding.evidence)
    return {**told, "properties": properties} if properties else told


def flow(report: Report, path: Sequence[Finding | Related]) -> Json:
    """The path that a value took; what matters most is where it leads."""
    locations = [
        {
            "location": location(report, each.path, each.span, each.message),
            "executionOrder": number,
            "importance": "essential" if isinstance(each, Finding) else "important",
        }
        for number, each in enumerate(path, 1)
    ]
    return {"threadFlows": [{"locations": locations}]}


def location(report: Report, path: str, span: Span, message: str = "") -> Json:
    """A place; in a notebook lines are those of its JSON, and the cell is told apart from them."""
    place: Json = {"artifactLocation": artifact(path)}
    told: Json = {"physicalLocation": place}
    if span.cell is None:
        place["region"] = region(span)
    else:
        place["region"] = {"startLine": report.file_line(path, span)}
        name = f"cell {span.cell}"
        whole = f"{visible(relative(path, checkout()))}:{name}"
        told["logicalLocations"] = [{"name": name, "fullyQualifiedName": whole, "kind": "cell"}]
        told["properties"] = {"cell": span.cell, "region": region(span)}
    return {**told, "message": text(message)} if message else told


def region(span: Span) -> Json:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def artifact(path: str) -> Json:
    below = relative(path, checkout())
    uri = quote(os.fsencode(below))
    if below.startswith("/"):
        return {"uri": f"file://{uri}"}
    # Another drive of Windows.
    if os.path.isabs(below):
        return {"uri": f"file:///{uri}"}
    return {"uri": uri, "uriBaseId": BASE}


def fix(path: str, patch: Patch) -> Json:
    replacements = [replacement(edit) for edit in patch.edits]
    changes = [{"artifactLocation": artifact(path), "replacements": replacements}]
    return {
        "description": text(f"{patch.message} ({patch.label})"),
        "artifactChanges": changes,
    }


def replacement(edit: Edit) -> Json:
    told: Json = {"deletedRegion": region(edit.span)}
    return {**told, "insertedContent": {"text": edit.text}} if edit.text else told


def invocation(report: Report) -> Json:
    """What could not be done, by which a reader tells no findings from no analysis."""
    return {
        "executionSuccessful": report.exit_code != 2,
        "exitCode": report.exit_code,
        "toolExecutionNotifications": [notification(line) for line in report.complaints],
    }


def notification(complaint: str) -> Json:
    level, _, message = complaint.partition(": ")
    return {"level": level if level in LEVELS else "warning", "message": text(message)}


def text(words: str) -> Json:
    """A message; `layers[0](x)` would be a link in one, `{0}` a placeholder."""
    return {"text": BRACES.sub(r"{\g<0>}", LINK.sub(r"\\[\1\\](", words))}
