"""The report of a run, whichever verb made it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from devlint.cli.output import complain, is_coloured, write
from devlint.findings.source_lines import Sources
from devlint.report import Report, writer
from devlint.report.text import count
from devlint.run.outcome import Outcome
from devlint.settings import OutputFormat

if TYPE_CHECKING:
    from devlint.rule.registry import AnyRule


class Style(NamedTuple):
    """When a report is coloured: auto, always, never; whether it is of findings alone."""

    colour: str = "auto"
    is_quiet: bool = False


PLAIN = Style()


def publish(
    outcome: Outcome,
    sources: Sources,
    output_format: OutputFormat,
    file: str | None,
    *,
    style: Style = PLAIN,
    err: bool = False,
) -> None:
    """Write what was found to a file, and on stderr that it is there, or to stdout, or stderr."""
    is_painted = file is None and is_coloured(style.colour)
    report = about(outcome, sources, is_coloured=is_painted, is_quiet=style.is_quiet)
    write(writer(output_format)(report), file, err=err)
    if file is not None and not style.is_quiet:
        complain([f"{count(len(outcome.findings), 'finding')} written to {file}"])


def about(outcome: Outcome, sources: Sources, *, is_coloured: bool, is_quiet: bool) -> Report:
    return Report(
        outcome.findings,
        outcome.files,
        sources.lines,
        is_coloured,
        cache(every_rule),
        outcome.complaints,
        outcome.exit_code,
        sources.file_line,
        fixed=outcome.fixed,
        fixable=0 if outcome.fixing else outcome.fixable,
        held_back=outcome.held_back,
        spared=outcome.spared,
        unread=outcome.unread,
        doubtful=outcome.doubtful,
        exhausted=outcome.exhausted,
        is_partial=outcome.is_partial,
        is_quiet=is_quiet,
    )


def every_rule() -> Sequence[AnyRule]:
    from devlint.rule import registry

    return registry.every_rule()
