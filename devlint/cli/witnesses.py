"""What the verbs that run witnesses have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from devlint.cli.options import SECONDS

#: How witnesses are run.
WITNESSES = (
    click.option(
        "--device",
        type=click.Choice(["auto", "cuda", "emulated"]),
        default="auto",
        metavar="CHOICE",
        help="Where: auto (CUDA if there is some), cuda, emulated.  [default: auto]",
    ),
    click.option(
        "--time-limit",
        type=SECONDS,
        default=60.0,
        metavar="SECONDS",
        help="How long each program may take.  [default: 60]",
    ),
)


@contextmanager
def benched(verb: str) -> Iterator[None]:
    """Tell in a line why witnesses cannot be run."""
    from devlint.confirm.emulation.torch_requirement import unmet
    from devlint.confirm.witnesses.judge import BenchError

    if problem := unmet(f"devlint {verb}"):
        raise click.ClickException(problem)
    try:
        yield
    except BenchError as error:
        raise click.ClickException(str(error)) from error
