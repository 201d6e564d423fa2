"""Options that contradict each other, which is said before anything is read or written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from devlint.cli.stdin import STDIN
from devlint.report import FOR_PEOPLE

#: What cannot be followed together with an option.
APART = {
    "add_noqa": ("fix", "fix_only", "ignore_noqa", "watch"),
    # It holds all findings: what does not look at all of them would take the others out.
    "write_baseline": ("diff_base", "diff", "add_noqa", "statistics", "output_file", "watch"),
    "show_files": ("show_settings", "watch"),
    "show_settings": ("watch",),
    "statistics": ("diff", "fix_only"),
    "silent": ("quiet", "verbose", "diff", "show_files", "show_settings", "output_file", "watch"),
    "quiet": ("verbose",),
    "output_file": ("diff", "fix_only", "show_files", "show_settings"),
}
#: What needs files on disk.
OF_FILES = ("show_files", "show_settings", "watch", "write_baseline")
#: What counts of findings can be written as.
COUNTS = (*FOR_PEOPLE, "json", "json-lines")


def refuse_contradictions(options: Mapping[str, Any]) -> None:
    """Raise an error that names two options of the command line where one rules out the other."""
    for one, others in APART.items():
        for other in others:
            if options[one] and options[other]:
                raise click.UsageError(f"{switch(one)} and {switch(other)} contradict each other")
    if options["reason"] and not options["add_noqa"]:
        raise click.UsageError("--reason is for the comments of --add-noqa")
    for one in OF_FILES:
        if options[one] and STDIN in options["paths"]:
            raise click.UsageError(f"{switch(one)} needs paths, not standard input (-)")


def refuse_format(output_format: str) -> None:
    """Raise an error where counts cannot be written in a format."""
    if output_format not in COUNTS:
        known = f"{', '.join(COUNTS[:-1])} or {COUNTS[-1]}"
        raise click.UsageError(f"--statistics writes no {output_format}; choose {known}")


def switch(name: str) -> str:
    return f"--{name.replace('_', '-')}"
