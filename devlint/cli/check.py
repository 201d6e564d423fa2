"""`devlint check`: findings of paths, and what is made of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import click

from devlint.cli.contradictions import refuse_contradictions, refuse_format
from devlint.cli.fixes import difference, fixing, listed, told
from devlint.cli.known import put_down, sieve, stale
from devlint.cli.options import SECTIONS, Sectioned, given, options
from devlint.cli.output import complain, show, write
from devlint.cli.progress import Progress
from devlint.cli.publish import Style, publish
from devlint.cli.stdin import Stdin, is_stdin
from devlint.cli.summary import account, counted
from devlint.findings.source_lines import Sources
from devlint.report import FOR_PEOPLE
from devlint.run.job import Job
from devlint.run.outcome import Outcome
from devlint.run.start import run
from devlint.settings import Configuration
from devlint.settings.misnamed import misnamed


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the command line says besides settings."""

    paths: tuple[str, ...]
    isolated: bool
    config: tuple[str, ...]
    stdin_filename: str | None
    diff_base: str | None
    output_file: str | None
    exit_zero: bool
    verbose: bool
    color: str = "auto"
    quiet: bool = False
    silent: bool = False
    diff: bool = False
    add_noqa: bool = False
    reason: str = ""
    write_baseline: str | None = None
    statistics: bool = False
    watch: bool = False
    show_files: bool = False
    show_settings: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Request:
        """Without paths the working directory is meant."""
        known = {each.name: options[each.name] for each in fields(cls) if each.name in options}
        return cls(**{**known, "paths": options["paths"] or (".",)})

    def configuration(self, said: Mapping[str, Any]) -> Configuration:
        """What `said`, settings of the command line, makes of the files."""
        return Configuration(said, self.isolated, self.config)


@click.command(
    cls=Sectioned, sections=SECTIONS, short_help="Lint files, notebooks and folders of them."
)
@click.argument("paths", nargs=-1, type=click.Path())
@options(SECTIONS)
def check(**options: Any) -> int:
    """Lint Python files and notebooks, and folders of them; - is standard input.

    Without PATHS the working directory is linted.

    Exit code: 0 without findings, 1 with findings, 2 when anything could not be done. With --diff
    1 means that something would change, with --fix that findings are left.

    With --fix the text that standard input gives goes to standard output, and the report to
    standard error.

    Switches that can be configured have an opposite, such as --no-fix.
    """
    refuse_contradictions(options)
    request = Request.of(options)
    said = given(options)

    if request.write_baseline:
        said = {**said, "confidence": "low"}  # Whoever asks for less later has it, too.

    def configure() -> Configuration:
        return request.configuration(said)

    if request.show_files or request.show_settings:
        from devlint.cli import preview

    if request.show_files:
        return preview.show_files(request.paths, configure())
    if request.show_settings:
        return preview.show_settings(request.paths, configure())
    if request.watch:
        from devlint.cli.watch import watch

        watch(request.paths, lambda: Lint(request, configure()).status())
        return 0
    return Lint(request, configure()).status()


class Lint:
    """One run, and what is said of it."""

    def __init__(self, request: Request, configuration: Configuration) -> None:
        self.request = request
        self.configuration = configuration
        self.overall = configuration.overall
        self.sources = Sources()
        #: Whether the text of standard input is what goes to standard output.
        self.is_filter = False

    def status(self) -> int:
        """Run, report, and give the exit code."""
        outcome = self.outcome()
        if file := self.request.write_baseline:
            self.comment(outcome)
            complain([put_down(outcome, file, self.sources)])
            return 0 if outcome.is_complete else 2
        self.report(outcome)
        self.comment(outcome)
        is_forgiven = self.request.exit_zero and outcome.exit_code == 1
        return 0 if is_forgiven else outcome.exit_code

    def outcome(self) -> Outcome:
        request = self.request
        if request.statistics:
            refuse_format(self.overall.output_format)
        known = sieve(self.overall, request.diff_base, request.write_baseline)
        purpose = fixing(self.overall, diff=request.diff, silence=request.add_noqa)
        reason = request.reason if request.add_noqa else None
        if is_stdin(request.paths, request.stdin_filename):
            outcome = self.outcome_of_stdin(Job(purpose, known, reason))
        else:
            with Progress() as progress:
                job = Job(purpose, known, reason, progress.show)
                outcome = run(request.paths, self.configuration, job)
        outcome.complaints += stale(outcome, known)
        outcome.complaints += misnamed(self.configuration, os.environ)
        return outcome

    def outcome_of_stdin(self, job: Job) -> Outcome:
        from devlint.run.session import run_on

        stdin = Stdin(self.request.stdin_filename)
        outcome = run_on(stdin.path, stdin.data, self.configuration, job)
        self.sources = stdin.sources(outcome)
        self.is_filter = job.fixing in ("fix", "fix-only")
        if self.is_filter:
            show([stdin.after(outcome)])
        return outcome

    def report(self, outcome: Outcome) -> None:
        file, output_format = self.request.output_file, self.overall.output_format
        if self.request.silent:
            return
        if outcome.fixing == "diff":
            show(difference(outcome))
        elif outcome.fixing == "fix-only":
            return
        elif self.request.statistics:
            write(counted(outcome, output_format), file, err=self.is_filter)
        else:
            style = Style(self.request.color, self.request.quiet)
            publish(outcome, self.sources, output_format, file, style=style, err=self.is_filter)

    def comment(self, outcome: Outcome) -> None:
        """Say on stderr what the report does not."""
        request = self.request
        if request.silent or request.quiet:
            complain(each for each in outcome.complaints if each.startswith("error: "))
            return
        if self.overall.show_fixes:
            complain(listed(outcome))
        is_shown = not (request.statistics or request.write_baseline or request.output_file)
        is_told = is_shown and self.overall.output_format in FOR_PEOPLE
        if (outcome.fixing == "fix" and not is_told) or outcome.fixing in ("diff", "fix-only"):
            complain([told(outcome)])
        complain(outcome.complaints)
        if self.request.verbose:
            complain(account(outcome, self.configuration))
