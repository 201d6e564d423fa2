"""`devlint explain`: what is known of the values at a place, and where that comes from."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import click

from devlint.cli.options import CONFIG
from devlint.cli.output import show
from devlint.explain.explanations import Explanation, Question, candidates, explained
from devlint.explain.wording import evidence, statement
from devlint.files.discover import discover
from devlint.lower.limits import allow_recursion
from devlint.project.files import Disk
from devlint.project.installed import installed
from devlint.project.project import Project
from devlint.report.colour import place
from devlint.run.check import TOO_DEEP
from devlint.run.locations import Location
from devlint.settings import Configuration
from devlint.settings.project_names import Vocabulary
from devlint.text.reading import read, reason
from devlint.text.source_text import UndecodableError

PLACE = re.compile(r"(?P<path>.+?):(?:cell (?P<cell>\d+):)?(?P<line>\d+)(?::(?P<column>\d+))?")


@click.command()
@click.argument("where", metavar="PATH:LINE[:COLUMN]")
@click.option(
    "--output-format",
    "output_format",
    type=click.Choice(["full", "json"]),
    default="full",
    show_default=True,
    help="How to write it.",
)
@CONFIG[0]
@CONFIG[1]
def explain(where: str, output_format: str, config: tuple[str, ...], isolated: bool) -> None:
    """Say which device each value at a place is on, or why that is not known, and why.

    A place in a notebook is PATH:cell N:LINE[:COLUMN]. Other files below this folder that import
    the file are looked at, too.
    """
    question = asked(where)
    configuration = Configuration({}, isolated, config)
    settings = configuration.scope(os.path.dirname(os.path.abspath(question.path))).settings
    project, users = None, list[str]()
    if settings.follow_imports:
        project = Project(Disk(), [os.getcwd()], installed(configuration))
        users = candidates(discover(["."], configuration).files, question.path)
    allow_recursion()
    try:
        found = explained(question, project, users, Vocabulary.of(settings))
    except (SyntaxError, UndecodableError, ValueError) as error:
        raise click.ClickException(f"{question.path}: cannot parse: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise click.ClickException(f"{question.path}: {TOO_DEEP}") from error
    if output_format == "json":
        show([json.dumps([*map(record, found)], indent=2)])
    else:
        show(told(where, found))


def asked(where: str) -> Question:
    match = PLACE.fullmatch(where)
    if match is None:
        raise click.UsageError(f"{where!r} is not a location; expected PATH:LINE[:COLUMN]")
    path, cell, column = match["path"], match["cell"], match["column"]
    try:
        data = read(path)
    except OSError as error:
        raise click.ClickException(f"{path}: cannot read: {reason(error)}") from error
    return Question(
        path,
        data,
        int(match["line"]),
        None if column is None else int(column),
        None if cell is None else int(cell),
    )


def told(where: str, found: list[Explanation]) -> Iterator[str]:
    if not found:
        yield f"No values to explain at {where}."
    for each in found:
        yield f"{place(*each.location)}: {statement(each)}"
        yield from (f"    {line}" for line in evidence(each))


def record(one: Explanation) -> dict[str, Any]:
    return {
        **spot(one.location),
        "text": one.text,
        "kind": one.noun,
        "device": one.device or None,
        "why": one.why or None,
        "steps": [{**spot(step.location), "message": step.text} for step in one.steps],
        "calls": [spot(call) for call in one.calls],
    }


def spot(location: Location) -> dict[str, Any]:
    span = location.span
    cell = {} if span.cell is None else {"cell": span.cell}
    return {"path": location.path, **cell, "line": span.line, "column": span.column}
