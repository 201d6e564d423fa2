"""What is made of the values of options on the command line."""

from __future__ import annotations

from collections.abc import Iterable

import click

BYTES = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def split(
    context: click.Context, parameter: click.Parameter, given: Iterable[str]
) -> tuple[str, ...]:
    """The parts of repeated, comma-separated values."""
    return tuple(part.strip() for value in given for part in value.split(",") if part.strip())


def by_glob(
    context: click.Context, parameter: click.Parameter, given: Iterable[str]
) -> dict[str, list[str]]:
    """Rules by globs, each written as `tests/*:DEV2,DEV301`."""
    found: dict[str, list[str]] = {}
    for value in given:
        glob, _, rules = value.rpartition(":")
        if not glob or not rules:
            raise click.BadParameter(f"{value!r} is not of the form GLOB:RULES")
        found.setdefault(glob, []).extend(split(context, parameter, [rules]))
    return found


def stated(context: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
    """Not empty, as what a script says may be by mistake."""
    if given == "":
        raise click.BadParameter("it is empty")
    return given


def in_bytes(context: click.Context, parameter: click.Parameter, given: str | None) -> int | None:
    """An amount of memory, which is a number and a unit."""
    if given is None:
        return None
    unit = given.lstrip("0123456789.")
    try:
        return int(float(given.removesuffix(unit)) * BYTES[unit.strip().lower()])
    except (ValueError, KeyError):
        raise click.BadParameter(f"{given!r} is no amount of memory, such as 24GiB") from None
