"""The `devlint` command."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn, TypeVar

import click

from devlint.audit import Audit
from devlint.faults import FAULTS
from devlint.finding import Finding, Safety
from devlint.fix import Mended
from devlint.fix import diff as unified
from devlint.notebook import lines_of
from devlint.registry import (
    AnyRule,
    RulePackError,
    UnknownRuleError,
    chosen,
    load_rules,
    rule_named,
)
from devlint.report import FORMATS, Report, writer
from devlint.report.full import count
from devlint.session import Outcome, run

Command = TypeVar("Command", bound=Callable[..., Any])

#: What a shell reports of a program that SIGINT ended.
INTERRUPTED = 130


class Commands(click.Group):
    """`check` may be left out, and what cannot be done is one line on stderr and exit code 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, "--help", "-h", "--version"}:
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        if sys.stdout is None:
            complain(["error: cannot write the report: standard output is closed"])
            sys.exit(2)
        for stream in (sys.stdout, sys.stderr):
            # A name or a line that the terminal cannot show must not end the run.
            if stream is not None:
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        try:
            status = super().main(*args, **{**extra, "standalone_mode": False})
        except click.ClickException as error:
            complain([f"error: {error.format_message()}"])
            status = 2
        except (RulePackError, UnknownRuleError) as error:
            complain([f"error: {error.args[0]}"])
            status = 2
        except click.Abort:
            complain(["interrupted"])
            status = INTERRUPTED
        except OSError as error:
            complain([f"error: cannot write the report: {error.strerror or error}"])
            status = 2
        sys.exit(status)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="devlint", message="devlint %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Find the lines of a PyTorch program where values end up on different devices.

    `devlint PATHS...` is short for `devlint check PATHS...`.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def split(
    context: click.Context, parameter: click.Parameter, given: Iterable[str]
) -> tuple[str, ...]:
    """The parts of repeated, comma-separated values."""
    return tuple(part.strip() for value in given for part in value.split(",") if part.strip())


def selectors(name: str, purpose: str) -> Callable[[Command], Command]:
    return click.option(name, multiple=True, metavar="RULES", callback=split, help=purpose)


@main.command()
@click.argument("paths", nargs=-1, required=True)
@selectors("--select", "Rules to run instead of the default ones: codes, prefixes, names.")
@selectors("--extend-select", "Rules to run as well.")
@selectors("--ignore", "Rules not to run; wins over the other two.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Files and folders to leave out.")
@click.option("--output-format", type=click.Choice([*FORMATS]), default="full", show_default=True)
@click.option("--statistics", is_flag=True, help="Count the findings of each rule instead.")
@click.option("--diff", is_flag=True, help="Show what safe fixes would change; write nothing.")
@click.option("--unsafe-fixes", is_flag=True, help="Let --diff show unsafe fixes, too.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings.")
@click.option("--no-screen", is_flag=True, help="Send every file through LibCST (slow).")
@click.option(
    "--isolated", is_flag=True, help="Read no configuration files (none are read so far)."
)
@click.option("-v", "--verbose", is_flag=True, help="Say what was done, and show tracebacks.")
def check(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    extend_select: tuple[str, ...],
    ignore: tuple[str, ...],
    exclude: tuple[str, ...],
    output_format: str,
    statistics: bool,
    diff: bool,
    unsafe_fixes: bool,
    exit_zero: bool,
    no_screen: bool,
    isolated: bool,
    verbose: bool,
) -> int:
    """Lint Python files and notebooks, and folders of them.

    Exit code: 0 without findings, 1 with findings, 2 when anything could not be done. With --diff
    1 means that something would change.
    """
    known = load_rules()
    rules = chosen(known, select=select, extend_select=extend_select, ignore=ignore)
    audit = Audit.of(rules, known)
    fixes: tuple[Safety, ...] = ("safe", "unsafe") if unsafe_fixes else ("safe",)
    outcome = run(
        paths,
        rules,
        exclude=exclude,
        screen=not no_screen,
        audit=audit,
        fixes=fixes if diff else (),
    )
    if outcome.mended is not None:
        show(line for file in outcome.mended for line in unified(file))
        complain([told(outcome.mended, outcome.findings, fixes)])
    elif statistics:
        show(counted(outcome, output_format))
    else:
        report = Report(outcome.findings, outcome.files, lines_of, is_coloured())
        show(writer(output_format)(report))
    complain(outcome.complaints)
    if verbose:
        complain(account(outcome))
    return 0 if exit_zero and outcome.exit_code == 1 else outcome.exit_code


@main.command()
@click.argument("word", metavar="CODE|NAME", required=False)
@click.option("--all", "every", is_flag=True, help="Show the page of every rule.")
def rule(word: str | None, every: bool) -> None:
    """Explain a rule, in Markdown."""
    known = [*load_rules(), *FAULTS]
    if (word is None) != every:
        raise click.UsageError("give either a rule's code or name, or --all")
    shown = known if word is None else [rule_named(word, known)]
    show(page(each) for each in shown)


def page(rule: AnyRule) -> str:
    return f"# {rule.code} {rule.name}\n\n{rule.page().strip()}\n"


def counted(outcome: Outcome, output_format: str) -> Iterator[str]:
    """The number of findings of each rule, the most frequent first."""
    counts = Counter((finding.code, finding.name) for finding in outcome.findings)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if output_format == "json":
        import json

        rows = [{"code": code, "name": name, "count": n} for (code, name), n in ranked]
        yield json.dumps(rows, indent=2)
        return
    width = max((len(str(number)) for _, number in ranked), default=0)
    for (code, name), number in ranked:
        yield f"{number:>{width}} {code} {name}"


def told(files: Sequence[Mended], findings: Sequence[Finding], fixes: Sequence[Safety]) -> str:
    """What the fixes that `--diff` shows come to, in a line."""
    done = sum(file.count for file in files)
    line = f"Would apply {count(done, 'fix', 'fixes')} in {count(len(files), 'file')}."
    left = sum(each.fix is not None and each.fix.safety not in fixes for each in findings)
    return f"{line} {left} more with `--unsafe-fixes`." if left else line


def account(outcome: Outcome) -> Iterator[str]:
    """What `-v` tells of a run."""
    yield from outcome.tracebacks
    kept = outcome.files - outcome.stages["passed"]
    yield (
        f"{outcome.files} files, {kept} mention devices of torch, "
        f"{outcome.stages['decided']} read by LibCST, "
        f"{outcome.exhausted} calls beyond the budget of the analysis"
    )


def is_coloured() -> bool:
    """As `NO_COLOR`, `FORCE_COLOR` and the terminal say, in this order, as Python itself does."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def show(lines: Iterable[str | bytes]) -> None:
    """Write lines to stdout; a reader who has left (`| head`) is no error."""
    try:
        for line in lines:
            # Bytes are lines of files, which end as they do there.
            click.echo(line, color=True, nl=isinstance(line, str))
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line, err=True)
