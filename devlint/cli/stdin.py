"""Standard input in the place of files: `devlint check -`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from devlint.findings.source_lines import Sources
from devlint.run.outcome import Outcome

STDIN = "-"


def is_stdin(paths: Sequence[str], filename: str | None) -> bool:
    """Whether the paths are standard input, which is linted alone."""
    if STDIN not in paths:
        if filename is not None:
            raise click.UsageError("--stdin-filename needs - in the place of the paths")
        return False
    if len(paths) > 1:
        raise click.UsageError("- is linted alone, without other paths")
    return True


class Stdin:
    """What standard input gives; without a name it is a Python file called `-`."""

    def __init__(self, filename: str | None) -> None:
        if sys.stdin is None:
            raise click.ClickException("cannot read: standard input is closed")
        try:
            self.data = sys.stdin.buffer.read()
        except OSError as error:
            raise click.ClickException(f"cannot read standard input: {error.strerror}") from error
        self.path = filename or STDIN

    def after(self, outcome: Outcome) -> bytes:
        """The text after the fixes of a run."""
        return outcome.mended[0].after if outcome.mended else self.data

    def sources(self, outcome: Outcome) -> Sources:
        """The lines that a report shows."""
        data = self.after(outcome)
        return Sources(lambda path: data)
