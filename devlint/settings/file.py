"""Configuration files: which there are, and what they say."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from devlint.settings.kind import File, UnfitError, described
from devlint.settings.layer import ConfigurationError, Layer
from devlint.text.display_paths import shown
from devlint.text.reading import read, reason

#: In a folder the first of them that says anything counts.
NAMES = (".devlint.toml", "devlint.toml", "pyproject.toml")


def layers(path: str) -> tuple[Layer, ...] | None:
    """What the file says, after what the files that it extends say.

    None for a pyproject.toml that does not speak of devlint.
    """
    return None if (table := table_of(path)) is None else extended(path, table, ())


def extended(path: str, table: dict[str, Any], before: tuple[str, ...]) -> tuple[Layer, ...]:
    """`before` are the files that led to this one."""
    origin, folder = shown(path), os.path.dirname(path)
    chain = (*before, path)
    table = dict(table)
    base = table.pop("extend", None)
    own = Layer.of(origin, table, folder)
    if base is None:
        return (own,)
    try:
        target = File().read(base, folder)
    except UnfitError as error:
        raise ConfigurationError(f"{origin}: extend: {error}") from error
    if target in chain:
        circle = " extends ".join(map(shown, (*chain[chain.index(target) :], target)))
        raise ConfigurationError(f"{origin}: extend goes in a circle: {circle}")
    if not os.path.isfile(target):
        raise ConfigurationError(f"{origin}: extend: there is no file {shown(target)}")
    return (*extended(target, said(target), chain), own)


def said(path: str) -> dict[str, Any]:
    """The table of a file that somebody named."""
    table = table_of(path)
    if table is None:
        raise ConfigurationError(f"{shown(path)}: there is no table [tool.devlint]")
    return table


def table_of(path: str) -> dict[str, Any] | None:
    try:
        data = read(path)
    except OSError as error:
        raise ConfigurationError(f"{shown(path)}: cannot read: {reason(error)}") from error
    is_shared = os.path.basename(path) == "pyproject.toml"
    if is_shared and b"devlint" not in data:
        return None
    try:
        document = parsed(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{shown(path)}: not valid TOML: {error}") from error
    return shared_table(path, document) if is_shared else document


def shared_table(path: str, document: Mapping[str, Any]) -> dict[str, Any] | None:
    tools = document.get("tool", {})
    table = tools.get("devlint") if isinstance(tools, dict) else None
    if table is None or isinstance(table, dict):
        return table
    raise ConfigurationError(
        f"{shown(path)}: tool.devlint: expected a table, not {described(table)}"
    )


def parsed(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)
