"""Counts of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from devlint.run.outcome import Outcome
from devlint.settings import Configuration


def counted(outcome: Outcome, output_format: str) -> Iterator[str]:
    """The number of findings of each rule, the most frequent first."""
    counts = Counter((finding.code, finding.name) for finding in outcome.findings)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if output_format in ("json", "json-lines"):
        import json

        rows = [{"code": code, "name": name, "count": n} for (code, name), n in ranked]
        lines = output_format == "json-lines"
        yield from map(json.dumps, rows) if lines else [json.dumps(rows, indent=2)]
        return
    width = max((len(str(number)) for _, number in ranked), default=0)
    for (code, name), number in ranked:
        yield f"{number:>{width}} {code} {name}"


def account(outcome: Outcome, configuration: Configuration) -> Iterator[str]:
    """What `-v` tells of a run."""
    from devlint.run.plans import unmatched

    for traceback in outcome.tracebacks:
        yield from traceback.splitlines()
    kept = outcome.files - outcome.stages["passed"]
    yield (
        f"{outcome.files} files, {outcome.reused} unchanged since the last run, "
        f"{kept} mention devices of torch, {outcome.stages['decided']} read by LibCST, "
        f"{outcome.exhausted} calls beyond the budget of the analysis"
    )
    yield from unmatched(outcome.paths, configuration)
