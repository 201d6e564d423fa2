"""The `devlint` command."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from devlint.cli.output import complain

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: The verbs; the module of the same name is imported when one is asked for.
VERBS = (
    "check",
    "clean",
    "completion",
    "config",
    "confirm",
    "evidence",
    "explain",
    "new-rule",
    "rule",
    "rules",
    "run",
    "scan",
    "schema",
    "server",
    "shift",
)
#: What a shell reports of a program that SIGINT ended.
INTERRUPTED = 130


class Commands(click.Group):
    """`check` may be left out, and what cannot be done is one line on stderr and exit code 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*VERBS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return verb(cmd_name) if cmd_name in VERBS else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in {*VERBS, "--help", "-h", "--version"}:
            refuse_mistyped(args[0])
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Also what `check` takes; files come first, which bash takes for the last resort."""
        from click.shell_completion import CompletionItem

        files = [] if incomplete.startswith("-") else [CompletionItem(incomplete, type="file")]
        of_check = verb("check").shell_complete(ctx, incomplete)
        return [*files, *super().shell_complete(ctx, incomplete), *of_check]

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
        except click.Abort:
            complain(["interrupted"])
            status = INTERRUPTED
        except mendable() as error:
            complain([told(error)])
            status = 2
        except Exception as error:  # Python's own exit code for it would mean findings.
            complain(failure(error))
            status = 2
        if not (args or extra):
            # To look for garbage at the end takes a quarter of a run over a large project.
            gc.freeze()
        sys.exit(status)


def refuse_mistyped(word: str) -> None:
    """Raise an error where a word is no path, and nearly a verb."""
    if word.startswith("-") or os.path.exists(word) or os.sep in word:
        return
    from devlint.text.suggestion import suggestion

    if hint := suggestion(word, VERBS):
        raise click.UsageError(f"'{word}' is neither a file nor a command{hint}")


def verb(name: str) -> click.Command:
    module = name.replace("-", "_")
    command: click.Command = getattr(import_module(f"devlint.cli.{module}"), module)
    return command


def mendable() -> tuple[type[Exception], ...]:
    """What a user can mend; only asked for when something was raised."""
    from devlint.cli.errors import ERRORS

    return (*ERRORS, OSError)


def told(error: Exception) -> str:
    from devlint.cli import errors

    if not isinstance(error, OSError):
        return errors.told(error)
    if not has_working_directory():
        return "error: the working directory is no more"
    return f"error: cannot write the report: {error.strerror or error}"


def failure(error: Exception) -> Iterator[str]:
    """What is said of a fault of devlint itself that ended the run."""
    from traceback import format_exception

    yield from "".join(format_exception(error)).splitlines()
    yield "error: devlint itself failed; please report the lines above and the command"


def has_working_directory() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


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
        context.exit(2)  # Who passes on an empty list of files is to hear of it.
