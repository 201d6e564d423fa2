"""`devlint run`: a dry run of a program on a CUDA that is not there."""

from __future__ import annotations

import os
from importlib.util import find_spec

import click

from devlint.cli.output import complain, show


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="Run a program on emulated CUDA.",
)
@click.option("-m", "is_module", is_flag=True, help="Run a module by its name, as python -m does.")
@click.option("--keep-going", is_flag=True, help="Go on after a device event, and find all.")
@click.option(
    "--devices", type=click.IntRange(1), default=1, show_default=True, help="How many to emulate."
)
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    is_module: bool, keep_going: bool, devices: int, program: str, arguments: tuple[str, ...]
) -> int:
    """Run PROGRAM with its ARGUMENTS on emulated CUDA, and tell where CUDA would refuse it.

    This runs your program, here on the CPU: what it writes is written, checkpoints too.

    Exit code: 1 with device events, else the program's own.
    """
    if find_spec("torch") is None:
        complain(["error: devlint run needs torch: pip install 'devlint[confirm]'"])
        return 2
    if not is_module and not os.path.isfile(program):
        complain([f"error: {program}: no such file"])
        return 2
    from devlint.confirm.account import account
    from devlint.confirm.dry_run import dry_run_module, dry_run_script

    dry_run = dry_run_module if is_module else dry_run_script
    outcome = dry_run(program, arguments, devices=devices, goes_on=keep_going)
    show(account(outcome, devices), err=True)
    return outcome.exit_code
