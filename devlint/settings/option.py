"""The options of a configuration file, read off the fields of `Settings`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, get_args, get_type_hints

from devlint.settings.kind import Choice, Flag, Kind, Table
from devlint.settings.settings import Settings

#: How environment variables begin.
PREFIX = "DEVLINT_"


@dataclass(frozen=True, slots=True)
class Option:
    """`adds`: what is said twice adds up, instead of the nearer replacing the farther."""

    name: str
    kind: Kind
    help: str
    default: Any

    @property
    def key(self) -> str:
        return key(self.name)

    @property
    def variable(self) -> str:
        """The environment variable that stands for the option of the command line."""
        return f"{PREFIX}{self.name.upper()}"

    @property
    def adds(self) -> bool:
        is_extension = self.name.startswith("extend_") or self.name == "ignore"
        return is_extension or isinstance(self.kind, Table)


def key(name: str) -> str:
    return name.replace("_", "-")


@cache
def options() -> Mapping[str, Option]:
    """By the names of the fields."""
    hints = get_type_hints(Settings, include_extras=True)
    return {
        each.name: option(each.name, hints[each.name], each.default) for each in fields(Settings)
    }


def option(name: str, hint: Any, default: Any) -> Option:
    annotated, *metadata = get_args(hint)
    (purpose,) = (each for each in metadata if isinstance(each, str))
    kinds = [each for each in metadata if isinstance(each, Kind)]
    return Option(name, kinds[0] if kinds else plain_kind(annotated), purpose, default)


def plain_kind(annotated: Any) -> Kind:
    return Flag() if annotated is bool else Choice(get_args(annotated))
