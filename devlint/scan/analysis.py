"""One project, from its files in memory to rows, as `devlint check` looks at a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator

from devlint.cache.notes import Notes
from devlint.files.discover import Discovery
from devlint.finding import Finding
from devlint.findings.fingerprint import fingerprints
from devlint.findings.source_lines import Sources
from devlint.report.json import item
from devlint.rule.self_reports import COMPLAINTS
from devlint.run.job import Job
from devlint.run.outcome import Outcome
from devlint.run.session import Session
from devlint.scan.result import Result, Row, about, failure
from devlint.scan.tree import HeldFiles, Tree
from devlint.scan.unit import Unit
from devlint.settings import Configuration
from devlint.text.display_paths import shown, slashed


def analysed(unit: Unit, tree: Tree, configuration: Configuration) -> Result:
    files = HeldFiles(tree)
    session = Session(configuration, Job(), [tree.choice.root], Notes(snapshot=files))
    paths = sorted(shown(tree.choice.path(each)) for each in {*tree.contents, *tree.refused})
    session.run(Discovery(paths))
    return told(unit, tree, session.outcome, files)


def told(unit: Unit, tree: Tree, outcome: Outcome, files: HeldFiles) -> Result:
    sources = Sources(lambda path: files.read(os.path.abspath(path)))
    failures = [failure(unit, why, path=name) for name, why in sorted(tree.passed.items())]
    faults = [each for each in outcome.findings if each.code in COMPLAINTS]
    failures += (failure(unit, e.message, slashed(e.path), e.code) for e in faults)
    found = [each for each in outcome.findings if each.code not in COMPLAINTS]
    rows = [*finding_rows(unit, found, sources)]
    row = about(
        unit,
        is_analysed=True,
        files=len(outcome.paths),
        bytes=sum(map(len, tree.contents.values())),
        **outcome.stages,
        findings=len(rows),
        failures=len(failures),
        exhausted=outcome.exhausted,
    )
    return Result(row, rows, failures)


def finding_rows(unit: Unit, found: list[Finding], sources: Sources) -> Iterator[Row]:
    """Findings as JSON has them, with their project and the line of the file; nothing is run here
    that would be evidence."""
    for finding, fingerprint in zip(found, fingerprints(found, sources.lines), strict=True):
        row = item(finding, fingerprint)
        del row["evidence"]
        lines = sources.lines(finding.path, finding.span.cell)
        line = finding.span.line - 1
        yield {"project": unit.project, **row, "source": lines[line] if line < len(lines) else ""}
