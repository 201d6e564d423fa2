"""`--watch`: the report again whenever a file changes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import click

from devlint.cli.errors import ERRORS, told
from devlint.cli.output import complain


def watch(paths: Sequence[str], report: Callable[[], object]) -> None:
    """Report now and after each change below `paths`, until the user interrupts."""
    try:
        from watchfiles import PythonFilter
        from watchfiles import watch as changes
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "watchfiles":
            raise
        message = "--watch needs watchfiles; run `pip install 'devlint[watch]'`"
        raise click.ClickException(message) from error
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise click.ClickException(f"{missing[0]}: no such file or directory")
    again(report)
    wanted = PythonFilter(extra_extensions=(".pyi", ".ipynb", ".md", ".toml"))
    for _ in changes(*paths, watch_filter=wanted, raise_interrupt=False):
        again(report)


def again(report: Callable[[], object]) -> None:
    """A report on an empty screen; what is wrong with the configuration is part of it."""
    if sys.stdout.isatty():
        click.clear()
    try:
        report()
    except ERRORS as error:
        complain([told(error)])
    complain(["Watching for changes; Ctrl-C ends it."])
