"""`devlint evidence`: what the witness of each rule does on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.output import complain, show, write
from devlint.cli.values import stated
from devlint.cli.witnesses import WITNESSES, benched
from devlint.rule.registry import load_rules

if TYPE_CHECKING:
    from devlint.confirm.witnesses.judge import Device

DEVICE, TIME_LIMIT = WITNESSES
#: Verdicts that speak against a rule, or for a program that does not show what it is to show.
SUSPECT = ("refuted", "inconclusive")


@click.command(short_help="Run the witness of every rule.")
@DEVICE
@TIME_LIMIT
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    metavar="FORMAT",
    help="How it is written: text, json.  [default: text]",
)
@click.option(
    "--record",
    type=click.Path(),
    metavar="PATH",
    callback=stated,
    help="Write it as JSON to PATH too; in a folder, to a file named for the device and torch.",
)
@click.option(
    "--programs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Record more than witnesses: the programs of FOLDER, PyTorch's functions, autocast.",
)
@click.option(
    "--compare",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="RECORD",
    help="Tell where this machine differs from an earlier record.",
)
def evidence(
    device: Device,
    time_limit: float,
    *,
    output_format: str,
    record: str | None,
    programs: Path | None,
    compare: Sequence[Path],
) -> int:
    """Run the witness of every rule, on CUDA or emulated CUDA, and tell what it did.

    Exit code: 1 when a witness is not confirmed that could have been, or a record differs; 2 when
    none could be run.
    """
    import json
    import os

    with benched("evidence"):
        from devlint.confirm.evidence.machine_record import file_of, record_of

        found = record_of(load_rules(), device, time_limit, programs)
    if record is not None:
        path = os.path.join(record, file_of(found)) if os.path.isdir(record) else record
        write([json.dumps(found, indent=1)], path)
    rows = found["evidence"]
    show([json.dumps(rows, indent=2)] if output_format == "json" else told(rows))
    differing = [line for path in compare for line in compared(path, found)]
    complain(differing)
    return int(bool(differing) or any(row["verdict"] in SUSPECT for row in rows))


def compared(path: Path, found: Mapping[str, Any]) -> list[str]:
    """Where what was found differs from a record, but for the exceptions beside that."""
    import json

    from devlint.confirm.evidence.comparison import differences, exceptions_of

    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        lines = [*differences(record, found, exceptions_of(path))]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise click.ClickException(f"{path}: no record of evidence: {error}") from error
    if "programs" in record and "programs" not in found:
        complain([f"note: {path.name}: only its witnesses are compared, without --programs"])
    return [f"{path.name}: {line}" for line in lines]


def told(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each witness, and where they were run."""
    width = max((len(row["verdict"]) for row in rows), default=0)
    for row in rows:
        yield f"{row['code']} {row['verdict']:{width}}  {row['error'] or ''}".rstrip()
    for on, torch in dict.fromkeys((row["on"], row["torch"]) for row in rows):
        yield f"On {on}, torch {torch}."
