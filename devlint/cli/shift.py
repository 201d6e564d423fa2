"""`devlint shift`: calls of a package, made without tests, on emulated CUDA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.options import CONFIG, REPORT, SECONDS, Command, given
from devlint.cli.output import complain, write
from devlint.cli.progress import Progress
from devlint.cli.publish import publish
from devlint.cli.run import boxed, told
from devlint.finding import Finding
from devlint.findings.source_lines import Sources
from devlint.report import FOR_PEOPLE
from devlint.report.text import dumped
from devlint.run.outcome import Outcome
from devlint.run.start import run as lint
from devlint.settings import Configuration

if TYPE_CHECKING:
    from devlint.confirm.sandbox.sandbox import Sandbox
    from devlint.confirm.shift.comparison import Compared
    from devlint.confirm.shift.without_tests.account import Account

#: Of a run nothing stays in the folder; what is compared is all that the linter finds.
SETTINGS = {"cache": False, "confidence": "low"}
#: The exit code of a run without findings, of which not all was seen.
INCOMPLETE = 3

SHIFT = (
    click.option(
        "--functions",
        "has_functions",
        is_flag=True,
        help="In examples, shift calls of functions and of methods, too.",
    ),
    click.option(
        "--compare",
        "is_compared",
        is_flag=True,
        help="Lint the package, too, and tell which findings the calls show.",
    ),
    click.option(
        "--time-limit",
        type=SECONDS,
        metavar="SECONDS",
        default=1800,
        show_default=True,
        help="End after so long.",
    ),
    click.option(
        "--sandbox/--no-sandbox",
        default=True,
        show_default=True,
        help="Run in a copy of this folder; what is written is removed.",
    ),
    click.option(
        "-v", "--verbose", is_flag=True, help="Tell of each class and example why it did not run."
    ),
)


def options(command: Command) -> Command:
    for option in reversed((*SHIFT, *CONFIG, *REPORT)):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Request:
    """What of a package is to be called, and how."""

    package: str
    has_functions: bool
    is_compared: bool
    seconds: float
    is_boxed: bool


@click.command(short_help="Call a package without tests, on emulated CUDA.")
@options
@click.argument("package")
def shift(
    *,
    package: str,
    has_functions: bool,
    is_compared: bool,
    time_limit: float,
    sandbox: bool,
    verbose: bool,
    isolated: bool,
    config: tuple[str, ...],
    output_file: str | None,
    **options: Any,
) -> int:
    """Call the modules of PACKAGE as if on a GPU, and tell where CUDA would refuse it.

    Modules are built by their annotations and called with inputs that they take on the CPU;
    examples in docstrings are run. What ends well on the CPU is done once more, on emulated CUDA.
    This runs code of the package, in a copy of this folder.

    Exit code: 1 with findings, 2 when nothing could be run, 3 when part of it could not be seen: a
    call ended its process, or time was up.
    """
    configuration = Configuration({**given(options), **SETTINGS}, isolated, config)
    request = Request(package, has_functions, is_compared, time_limit, sandbox)
    done = Shifted(request, configuration)
    complain(done.complaints(is_verbose=verbose))
    done.publish(output_file)
    complain([f"{package}: {done.account.summary}"])
    return done.exit_code


class Shifted:
    """A package that was called; beside what the linter finds in it, if that is asked for."""

    def __init__(self, request: Request, configuration: Configuration) -> None:
        from devlint.confirm.shift.report import findings_of

        paths = places(request.package)
        self.output_format = configuration.overall.output_format
        self.outcome = lint(paths, configuration) if request.is_compared else Outcome()
        self.sources = Sources()
        self.account, self.writes = called(request, self.outcome.findings)
        self.compared: list[Compared] | None = None
        if request.is_compared:
            self.compared = compared(self.outcome.findings, self.account)
            self.outcome.findings = [each.finding for each in self.compared]
        else:
            self.outcome.findings = findings_of(self.account.tally, self.account.torch)
            self.outcome.paths = sorted(self.account.imported)  # A module is a file.
        self.outcome.is_partial = True

    @property
    def exit_code(self) -> int:
        if self.account.tally.events:
            return 1
        return 0 if self.account.is_whole else INCOMPLETE

    def complaints(self, *, is_verbose: bool) -> Iterator[str]:
        yield from self.outcome.complaints
        yield from self.account.complaints()
        if is_verbose:
            yield from self.account.reasons()
        yield from self.writes

    def publish(self, file: str | None) -> None:
        """For people and as JSON a comparison is one of its own."""
        from devlint.confirm.shift.comparison import as_data
        from devlint.confirm.shift.comparison import told as table

        if self.compared is None or self.output_format not in (*FOR_PEOPLE, "json"):
            publish(self.outcome, self.sources, self.output_format, file)
        elif self.output_format == "json":
            data = as_data(self.compared, self.sources.lines)
            write([dumped(data, is_indented=True)], file)
        else:
            write(table(self.compared), file)


def places(package: str) -> list[str]:
    """The folders and files of the package, which is not imported."""
    from devlint.confirm.dry_run.report.document_places import named
    from devlint.confirm.emulation.torch_requirement import unmet
    from devlint.confirm.shift.package import Package, PackageError

    if problem := unmet("devlint shift"):
        raise click.ClickException(problem)
    if not all(part.isidentifier() for part in package.split(".")):
        raise click.ClickException(f"{package!r} is no name of a package, such as package.part")
    try:
        return [named(each) for each in Package([package], Path.cwd()).places]
    except PackageError as error:
        raise click.ClickException(str(error)) from error


def called(request: Request, found: Sequence[Finding]) -> tuple[Account, list[str]]:
    """What calls of the package came to, and what became of files."""
    from devlint.confirm.dry_run.request import NoRoomError
    from devlint.confirm.shift.comparison import watched
    from devlint.confirm.shift.without_tests.account import ShiftError
    from devlint.confirm.shift.without_tests.parent import Terms, shifted_without_tests

    with in_box() if request.is_boxed else nullcontext() as box, Progress() as progress:
        terms = Terms(
            request.package,
            request.seconds,
            box,
            request.has_functions,
            watched(found),
            hear=progress.say,
        )
        try:
            account = shifted_without_tests(terms)
        except (NoRoomError, ShiftError) as error:
            raise click.ClickException(str(error)) from error
        return account, [*told(box)] if box else []


@contextmanager
def in_box() -> Iterator[Sandbox]:
    """A sandbox for the working directory, which nobody has asked for."""
    with ExitStack() as stack:
        try:
            box = stack.enter_context(boxed())
        except click.ClickException as error:
            raise click.ClickException(f"{error.message}, or with --no-sandbox") from error
        yield box


def compared(found: Sequence[Finding], account: Account) -> list[Compared]:
    """What the linter has found, and what the calls have shown."""
    from devlint.confirm.dry_run.report.verdicts import is_judged
    from devlint.confirm.shift.comparison import Seen, compare
    from devlint.rule.registry import load_rules

    silent = {rule.code for rule in load_rules() if rule.is_silent}
    seen = Seen(account.tally.events, account.ran, account.torch, silent)
    return compare([*filter(is_judged, found)], seen)
