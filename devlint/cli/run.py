"""`devlint run`: a dry run of a program on emulated CUDA."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.options import CONFIG, REPORT, RULES, SECONDS, AtLeast, Command, given
from devlint.cli.output import complain
from devlint.cli.progress import Progress
from devlint.cli.publish import publish
from devlint.cli.values import in_bytes
from devlint.finding import Finding
from devlint.findings.source_lines import Sources
from devlint.report.text import count
from devlint.rule.self_reports import RefusedByCuda
from devlint.run.job import Job
from devlint.run.outcome import Outcome
from devlint.run.start import run as lint
from devlint.settings import Configuration

if TYPE_CHECKING:
    from devlint.confirm.dry_run.parent import DryRun
    from devlint.confirm.dry_run.request import Assignment
    from devlint.confirm.sandbox.sandbox import Sandbox


RUN = (
    click.option(
        "-m", "is_module", is_flag=True, help="Run a module by its name, as python -m does."
    ),
    click.option(
        "--keep-going", "goes_on", is_flag=True, help="Go on after a device event, and find all."
    ),
    click.option(
        "--max-steps",
        "steps",
        type=AtLeast(1),
        metavar="N",
        help="End after so many steps of optimizers.",
    ),
    click.option(
        "--time-limit",
        type=SECONDS,
        metavar="SECONDS",
        help="End the program after so long.",
    ),
    click.option(
        "--sandbox", is_flag=True, help="Run in a copy of this folder; what is written is removed."
    ),
    click.option(
        "--no-network",
        "is_offline",
        is_flag=True,
        help="Give the program no network but that between its own processes.",
    ),
    click.option(
        "--device",
        type=click.Choice(["emulated", "cuda"]),
        default="emulated",
        show_default=True,
        help="What to run on; real CUDA tells less.",
    ),
    click.option(
        "--devices",
        type=AtLeast(1),
        default=1,
        show_default=True,
        help="How many to emulate.",
    ),
    click.option(
        "--memory",
        callback=in_bytes,
        metavar="SIZE",
        help="How much memory each emulated device has, as 24GiB.",
    ),
)


def options(command: Command) -> Command:
    for option in reversed((*RUN, *RULES, *CONFIG, *REPORT)):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Terms:
    """How the program is run: for so many seconds, in a sandbox."""

    seconds: float | None
    sandbox: Sandbox | None


class Run(click.Command):
    """Options of the program come after it; before it they are mistyped ones of ours."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            near = f": {' or '.join(error.possibilities)}?" if error.possibilities else ""
            raise click.UsageError(
                f"devlint run has no option {error.option_name}{near}; "
                "options of your program go after it"
            ) from error


@click.command(
    cls=Run,
    context_settings={"allow_interspersed_args": False},
    short_help="Run a program on emulated CUDA.",
)
@options
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    *,
    isolated: bool,
    config: tuple[str, ...],
    time_limit: float | None,
    sandbox: bool,
    output_file: str | None,
    **options: Any,
) -> int:
    """Run PROGRAM with its ARGUMENTS on emulated CUDA, and tell where CUDA would refuse it.

    This runs your program, here on the CPU: what it writes is written, checkpoints too, unless it
    runs in a sandbox. What devlint finds in its files is judged by what happened. The report goes
    to standard error.

    Exit code: 1 with device events, else the program's own; 130 after an interrupt, 124 when time
    was up, 3 when part of what ran could not be seen.
    """
    from devlint.confirm.dry_run.request import Assignment

    names = {field.name for field in fields(Assignment)}
    assignment = Assignment(**{name: options[name] for name in names & options.keys()})
    problem = obstacle(assignment)
    paths = [] if problem else consists_of(assignment)
    if problems := [problem] if problem else lacks(assignment, paths):
        complain(f"error: {each}" for each in problems)
        return 2
    # Of a dry run nothing stays in the folder.
    configuration = Configuration({**given(options), "cache": False}, isolated, config)
    output_format = configuration.overall.output_format
    complain([beginning(assignment, is_boxed=sandbox)])
    with Progress() as progress:
        outcome = lint(paths, configuration, Job(progress=progress.show))
    with boxed() if sandbox else nullcontext() as box, Progress() as progress:
        assignment = replace(assignment, prelude=progress.say("importing torch"))
        done = dry_run(outcome, assignment, Terms(time_limit, box))
        progress.is_shown &= not done.told.on
        writes = [*told(box)] if box else []
    publish(outcome, Sources(), output_format, output_file, err=True)
    complain([*outcome.complaints, *writes, account(assignment.program, done, outcome.findings)])
    return done.exit_code


def obstacle(assignment: Assignment) -> str | None:
    """Why the program cannot be run."""
    from devlint.confirm.emulation.torch_requirement import unmet

    return (
        unmet("devlint run")
        or in_the_way(assignment)
        or (without_cuda() if assignment.device == "cuda" else None)
        or (within_reach() if assignment.is_offline else None)
    )


def in_the_way(assignment: Assignment) -> str | None:
    """Why there is nothing to run."""
    from devlint.confirm.dry_run.preparation import obstacles

    is_module = assignment.is_module
    of = obstacles.obstacle_of_module if is_module else obstacles.obstacle_of_file
    return of(assignment.program) or obstacles.syntax_error(assignment.program, is_module=is_module)


def consists_of(assignment: Assignment) -> list[str]:
    """The files of the program."""
    from devlint.confirm.dry_run.preparation.watched_files import watched_paths

    program, arguments = assignment.program, assignment.arguments
    return watched_paths(program, arguments, is_module=assignment.is_module)


def lacks(assignment: Assignment, paths: Sequence[str]) -> list[str]:
    """What it imports and cannot."""
    from devlint.confirm.dry_run.preparation.required_imports import missing_imports

    return [*missing_imports(assignment, paths)]


def without_cuda() -> str | None:
    from devlint.confirm.emulation.real_cuda import has_cuda
    from devlint.confirm.emulation.torch_requirement import NO_CUDA

    return None if has_cuda() else NO_CUDA


def within_reach() -> str | None:
    """Why the network cannot be taken from the program."""
    from devlint.confirm.sandbox.network import refusal

    return refusal()


def dry_run(outcome: Outcome, assignment: Assignment, terms: Terms) -> DryRun:
    """Run the program; the findings of the outcome get verdicts, and events are findings."""
    from devlint.confirm.dry_run.parent import dry_run
    from devlint.confirm.dry_run.report import verdicts
    from devlint.confirm.dry_run.report.gaps import foreign_operators
    from devlint.confirm.dry_run.request import NoRoomError
    from devlint.rule.registry import load_rules

    found = [each for each in outcome.findings if verdicts.is_judged(each)]
    watched = tuple(map(verdicts.lines, found))
    assignment = replace(assignment, watched=watched)
    try:
        done = dry_run(assignment, seconds=terms.seconds, sandbox=terms.sandbox)
    except NoRoomError as error:
        raise click.ClickException(str(error)) from error
    silent = {rule.code for rule in load_rules() if rule.is_silent}
    cases = list(map(verdicts.Case.of, found, watched))
    findings = verdicts.findings_of(cases, done, assignment.program, silent)
    outcome.findings = sorted(findings, key=lambda each: (each.path, each.span))
    outcome.is_partial = not (done.is_whole and done.status == 0)
    outcome.complaints += (f"warning: {each}" for each in done.gaps)
    outcome.complaints += (f"note: {each}" for each in foreign_operators(done.told))
    return done


@contextmanager
def boxed() -> Iterator[Sandbox]:
    """A sandbox for the working directory."""
    from devlint.confirm.sandbox.sandbox import Sandbox
    from devlint.confirm.sandbox.scratch_copy import SandboxError

    try:
        with Sandbox.of(os.getcwd()) as sandbox:
            yield sandbox
    except SandboxError as error:
        raise click.ClickException(str(error)) from error


def told(sandbox: Sandbox) -> Iterator[str]:
    """What became of the files."""
    from devlint.confirm.sandbox.sandbox import told

    return told(sandbox.writes())


def beginning(assignment: Assignment, *, is_boxed: bool) -> str:
    """What is about to run, and on what."""
    is_real = assignment.device == "cuda"
    devices = count(assignment.devices, "device")
    where = "CUDA" if is_real else f"emulated CUDA ({devices}, on the CPU)"
    how = "in a copy of this folder" if is_boxed else "what it writes is written"
    return f"devlint runs your program {assignment.program} on {where}; {how}."


def account(program: str, done: DryRun, findings: Sequence[Finding]) -> str:
    """How the program fared, in a line."""
    if not done.told.on:
        return f"{program} {done.ending} before it began."
    alone = sum(each.code == RefusedByCuda.code for each in findings)
    what = f"{program} {done.ending} on {done.on}: {device_events(len(done.told.events), alone)}"
    judged = [each for each in findings if each.code != RefusedByCuda.code]
    if judged:
        verdicts = Counter(each.evidence.verdict for each in judged if each.evidence)
        told = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
        what = f"{what}; {count(len(judged), 'finding')} of the linter: {told}"
    others = len(done.told.others)
    also = f" {count(others, 'more process', 'more processes')} watched." if others else ""
    return f"{what}.{also}"


def device_events(number: int, alone: int) -> str:
    """How many there were, and which of them are told in findings of the linter."""
    known = number - alone
    which = "" if known == number else f"{known} of them "
    return count(number, "device event") + (f", {which}found by the linter too" if known else "")
