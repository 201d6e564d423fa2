"""Which findings a run leaves out: those that a baseline knows, and what has not changed."""

from __future__ import annotations

import click

from devlint.cli.output import write
from devlint.findings.filter import Sieve
from devlint.findings.source_lines import Sources
from devlint.report.text import count
from devlint.run.outcome import Outcome
from devlint.settings import Settings
from devlint.text.display_paths import relative


def sieve(overall: Settings, diff_base: str | None, write_baseline: str | None) -> Sieve:
    """A baseline that is written anew is not read."""
    file = None if write_baseline else overall.baseline
    if not file and not diff_base:
        return Sieve()
    from devlint.findings.baseline import Baseline, BaselineError
    from devlint.findings.changed_lines import Changes

    try:
        return Sieve(
            Baseline.read(relative(file)) if file else None,
            Changes.since(diff_base) if diff_base else None,
        )
    except BaselineError as error:
        raise click.ClickException(str(error)) from error


def put_down(outcome: Outcome, file: str, sources: Sources) -> str:
    """Write the findings of a run into a baseline; a line that says so."""
    from devlint.findings.baseline import BaselineError, written
    from devlint.rule.self_reports import COMPLAINTS

    found = [each for each in outcome.findings if each.code not in COMPLAINTS]
    try:
        lines = [*written(file, found, sources.lines, outcome.paths)]
    except BaselineError as error:
        raise click.ClickException(f"{error}; move it away to write another") from error
    write(lines, file)
    return f"Wrote {count(len(found), 'finding')} to {file}."


def stale(outcome: Outcome, sieve: Sieve) -> list[str]:
    """A line about the entries of the baseline that no finding has met."""
    baseline = sieve.baseline
    gone = baseline.stale(outcome.codes) if baseline else []
    if not gone or baseline is None:
        return []
    which = ", ".join(dict.fromkeys(f"{each.code} in {each.path}" for each in gone[:3]))
    more = ", ..." if len(gone) > 3 else ""
    told = "is no more" if len(gone) == 1 else "are no more"
    return [
        f"note: {count(len(gone), 'finding')} of {baseline.file} {told} ({which}{more}); "
        f"`--write-baseline {baseline.file}` takes them out"
    ]
