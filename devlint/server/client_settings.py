"""What an editor sets: what the server does by itself, and any key of configuration files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from devlint.settings import Configuration, ConfigurationError
from devlint.settings.layer import Layer
from devlint.settings.option import options
from devlint.text.suggestion import suggestion

ORIGIN = "the editor's settings"
#: Those of the extension alone, which arrive with the others.
OF_CLIENT = frozenset({"enable", "interpreter", "path", "trace"})
LintOn = Literal["change", "save"]


def camel(key: str) -> str:
    """A key as editors write it."""
    first, *rest = key.split("-")
    return first + "".join(map(str.capitalize, rest))


#: The keys of configuration files, as editors write them.
SHARED = {camel(option.key): option.key for option in options().values()}
OWN = frozenset({"codeLens", "configuration", "inlayHints", "lintOn"})
#: All that the server heeds.
KEYS = OWN | SHARED.keys()


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """`given` are keys of configuration files, which win over those; `config` is a file that stands
    for all others."""

    code_lens: bool = False
    inlay_hints: bool = False
    lint_on: LintOn = "change"
    config: str | None = None
    given: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, told: object) -> ClientSettings:
        """What an editor says; nothing where it says nothing. Raises `ConfigurationError`."""
        said = {k: v for k, v in told.items() if is_said(v)} if isinstance(told, Mapping) else {}
        for key in said.keys() - KEYS - OF_CLIENT:
            raise ConfigurationError(f"{ORIGIN}: none is called '{key}'{suggestion(key, KEYS)}")
        if said.get("lintOn", "change") not in ("change", "save"):
            raise ConfigurationError(f"{ORIGIN}: lintOn: expected change or save")
        if not isinstance(said.get("configuration", ""), str):
            raise ConfigurationError(f"{ORIGIN}: configuration: expected the path of a file")
        shared = {SHARED[key]: value for key, value in said.items() if key in SHARED}
        Layer.of(ORIGIN, shared, os.getcwd())
        return cls(
            said.get("codeLens") is True,
            said.get("inlayHints") is True,
            said.get("lintOn", "change"),
            said.get("configuration"),
            {key.replace("-", "_"): value for key, value in shared.items()},
        )

    def configuration(self) -> Configuration:
        """The settings of files, read anew: they may have been edited since the last time."""
        given = {"force_exclude": True, **self.given}
        return Configuration(given, config=[self.config] if self.config else ())


def is_said(value: object) -> bool:
    """Whether a setting says something: editors hand over what nobody has set as empty."""
    return value is not None and value != "" and value != [] and value != {}
