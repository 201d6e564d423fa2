"""`devlint run`: a dry run of a program on a CUDA that is not there."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.options import CONFIGURATION, OUTPUT, RULES, Command, given
from devlint.cli.output import complain
from devlint.cli.publish import publish
from devlint.faults import RefusedByCuda
from devlint.finding import Finding
from devlint.report.text import count
from devlint.session import run as lint
from devlint.settings import Configuration
from devlint.sources import Sources

if TYPE_CHECKING:
    from devlint.confirm.assignment import Assignment, Where
    from devlint.confirm.dry_run import DryRun


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the command line says besides settings."""

    program: str
    arguments: tuple[str, ...]
    is_module: bool
    device: Where
    devices: int
    keep_going: bool
    max_steps: int | None
    time_limit: float | None
    output_file: str | None

    def assignment(self) -> Assignment:
        from devlint.confirm.assignment import Assignment

        return Assignment(
            self.program,
            self.arguments,
            self.is_module,
            self.device,
            self.devices,
            self.keep_going,
            self.max_steps,
        )


RUN = (
    click.option(
        "-m", "is_module", is_flag=True, help="Run a module by its name, as python -m does."
    ),
    click.option("--keep-going", is_flag=True, help="Go on after a device event, and find all."),
    click.option(
        "--max-steps",
        type=click.IntRange(1),
        metavar="N",
        help="End after so many steps of optimizers.",
    ),
    click.option(
        "--time-limit",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="End the program after so long.",
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
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="How many to emulate.",
    ),
)


def options(command: Command) -> Command:
    for option in reversed((*RUN, *RULES, *CONFIGURATION[:2], *OUTPUT[:2])):
        command = option(command)
    return command


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="Run a program on emulated CUDA.",
)
@options
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(*, isolated: bool, config: tuple[str, ...], **options: Any) -> int:
    """Run PROGRAM with its ARGUMENTS on emulated CUDA, and tell where CUDA would refuse it.

    This runs your program, here on the CPU: what it writes is written, checkpoints too. What
    devlint finds in its files is judged by what happened. The report goes to standard error.

    Exit code: 1 with device events, else the program's own; 130 after an interrupt, 124 when time
    was up.
    """
    said = given(options)
    names = Request.__annotations__
    request = Request(**{name: value for name, value in options.items() if name in names})
    if problem := obstacle(request):
        complain([f"error: {problem}"])
        return 2
    return dry_run(request, Configuration(said, isolated, config))


def obstacle(request: Request) -> str | None:
    """Why the program cannot be run."""
    if find_spec("torch") is None:
        return "devlint run needs torch: pip install 'devlint[confirm]'"
    if not request.is_module and not os.path.exists(request.program):
        return f"{request.program}: no such file"
    if request.device == "cuda":
        from devlint.confirm.hardware import has_cuda

        if not has_cuda():
            return "--device cuda: this machine has no CUDA that torch can use"
    return None


def dry_run(request: Request, configuration: Configuration) -> int:
    """Lint, run, judge and report."""
    from devlint.confirm import dry_run, verdicts
    from devlint.confirm.watched import watched_paths

    paths = watched_paths(request.program, request.arguments, is_module=request.is_module)
    outcome = lint(paths, configuration)
    found = [each for each in outcome.findings if verdicts.is_judged(each)]
    watched = tuple(map(verdicts.lines, found))
    done = dry_run.dry_run(
        replace(request.assignment(), watched=watched), seconds=request.time_limit
    )
    findings = [*verdicts.of_events(done, request.program), *verdicts.judged(found, done)]
    outcome.findings = sorted(findings, key=lambda each: (each.path, each.span))
    output_format = configuration.overall.output_format
    publish(outcome, Sources(), output_format, request.output_file, err=True)
    complain([account(request.program, done, outcome.findings)])
    return done.exit_code


def account(program: str, done: DryRun, findings: Sequence[Finding]) -> str:
    """How the program fared, in a line."""
    if not done.told.on:
        return f"{program} {done.ending} before it began."
    what = f"{program} {done.ending} on {done.on}: {count(len(done.told.events), 'device event')}"
    judged = [each for each in findings if each.code != RefusedByCuda.code]
    if not judged:
        return f"{what}."
    verdicts = Counter(each.evidence.verdict for each in judged if each.evidence)
    told = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    return f"{what}; {count(len(judged), 'finding')} of the linter: {told}."
