"""What one place says of the options: the command line, or a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from devlint.settings.kind import Rules, Table, UnfitError
from devlint.settings.option import Option, key, options
from devlint.settings.settings import Settings
from devlint.settings.version import meets
from devlint.text.suggestion import suggestion

#: What somebody has to know who writes `[tool.devlint]` into a file that is of devlint alone.
TOOL = "; in this file options stand at the top, without [tool.devlint]"


class ConfigurationError(Exception):
    """A configuration that cannot be followed: in a line where, what, and what would be right."""


@dataclass(frozen=True, slots=True)
class Layer:
    """`origin` names the place in messages; `values` are by the fields of `Settings`."""

    origin: str
    values: Mapping[str, Any]

    @classmethod
    def of(cls, origin: str, table: Mapping[str, object], folder: str) -> Layer:
        """What a table of TOML says that stands in `folder`."""
        known = {option.key: option for option in options().values()}
        values = {}
        for word, value in table.items():
            if word not in known:
                hint = suggestion(word, known) if word != "tool" else TOOL
                raise ConfigurationError(f"{origin}: no option is called '{word}'{hint}")
            values[known[word].name] = read(known[word], value, origin, folder)
        if wanted := values.get("required_version"):
            require(wanted, origin)
        return cls(origin, values)

    def says(self, selector: str) -> str | None:
        """The key for which the layer names a rule by this selector."""
        return next((key(name) for name, word in self.selectors() if word == selector), None)

    def selectors(self) -> Iterator[tuple[str, str]]:
        for name, value in self.values.items():
            kind = options()[name].kind
            if isinstance(kind, Rules):
                yield from ((name, word) for word in value)
            elif isinstance(kind, Table):
                rules = [word for _, words in value for word in words] if kind.has_globs else ()
                yield from ((name, word) for word in rules or (word for word, _ in value))


def read(option: Option, value: object, origin: str, folder: str) -> Any:
    try:
        return option.kind.read(value, folder)
    except UnfitError as error:
        raise ConfigurationError(f"{origin}: {option.key}: {error}") from error


def require(wanted: str, origin: str) -> None:
    from importlib.metadata import version

    if not meets(version("devlint"), wanted):
        raise ConfigurationError(
            f"{origin}: required-version: this is devlint {version('devlint')}, not {wanted}"
        )


def merged(layers: Sequence[Layer]) -> Settings:
    """The settings that the layers come to, the last of which has the last word."""
    values: dict[str, Any] = {}
    for layer in layers:
        if "select" in layer.values:
            # Who selects starts anew.
            values.pop("extend_select", None)
            values.pop("ignore", None)
        for name, value in layer.values.items():
            adds = options()[name].adds and name in values
            values[name] = (*values[name], *value) if adds else value
    return Settings(**values)
