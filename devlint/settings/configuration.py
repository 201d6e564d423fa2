"""Which settings hold for a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from devlint.settings import file
from devlint.settings.layer import ConfigurationError, Layer, merged
from devlint.settings.option import key
from devlint.settings.settings import Settings

COMMAND_LINE = "the command line"


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The files for which one configuration file holds; `root` is its folder, or for files
    without one the working directory, which may have a scope of its own.

    `layers` are what it says and, last, what the command line says.
    """

    root: str
    layers: tuple[Layer, ...]
    settings: Settings

    def origin(self, selector: str) -> str | None:
        """The file and key that name a rule by this selector; None for the command line."""
        for layer in reversed(self.layers):
            if word := layer.says(selector):
                return None if layer.origin == COMMAND_LINE else f"{layer.origin}: {word}"
        return None


@dataclass(frozen=True)
class Configuration:
    """The settings of files.

    `given` is what options of the command line say, by the fields of `Settings`, `config` what
    `--config` does: `key = value` in TOML, which wins over every file, or a file that stands for
    all others.
    """

    given: Mapping[str, object] = field(default_factory=dict)
    is_isolated: bool = False
    config: Sequence[str] = ()
    #: Files on the way to those, in which there was nothing of devlint.
    passed: list[str] = field(default_factory=list, init=False, compare=False)
    _scopes: dict[str, Scope] = field(default_factory=dict, init=False, compare=False)

    @property
    def scopes(self) -> list[Scope]:
        """Those of the folders that somebody has asked for, each once."""
        return [*dict.fromkeys(self._scopes.values())]

    def settings(self, path: str) -> Settings:
        """The settings of a file."""
        return self.of(path).settings

    def of(self, path: str) -> Scope:
        """The scope of a file."""
        return self.scope(os.path.dirname(os.path.abspath(path)))

    @property
    def overall(self) -> Settings:
        """The settings of the working directory, for what concerns the run as a whole."""
        return self.scope(os.getcwd()).settings

    def scope(self, folder: str) -> Scope:
        """The scope of the files in an absolute folder."""
        if (known := self._scopes.get(folder)) is None:
            known = self._scopes[folder] = self._named or self._found(folder)
        return known

    def _found(self, folder: str) -> Scope:
        if not self.is_isolated:
            for path in (os.path.join(folder, name) for name in file.NAMES):
                if not os.path.isfile(path):
                    continue
                if (layers := file.layers(path)) is not None:
                    return self._scope(folder, layers)
                self.passed.append(path)
            parent = os.path.dirname(folder)
            if parent != folder:
                return self.scope(parent)
        return self._default

    def _scope(self, root: str, layers: tuple[Layer, ...]) -> Scope:
        layers = (*layers, *self._last)
        return Scope(root, layers, merged(layers))

    @cached_property
    def _default(self) -> Scope:
        return self._scope(os.getcwd(), ())

    @cached_property
    def _named(self) -> Scope | None:
        """The scope of everything where a file is named."""
        named = [each for each in self.config if not is_assignment(each)]
        if not named:
            return None
        if self.is_isolated:
            raise ConfigurationError(f"--isolated reads no file, but --config names {named[0]}")
        if len(named) > 1:
            raise ConfigurationError(f"--config names two files, {named[0]} and {named[1]}")
        path = os.path.abspath(named[0])
        return self._scope(os.path.dirname(path), file.extended(path, file.said(path), ()))

    @cached_property
    def _last(self) -> tuple[Layer, ...]:
        """What the command line says."""
        here = os.getcwd()
        assigned = (
            Layer.of("--config", assignment(each), here)
            for each in self.config
            if is_assignment(each)
        )
        given = {key(name): value for name, value in self.given.items()}
        return (*assigned, Layer.of(COMMAND_LINE, given, here))


def is_assignment(text: str) -> bool:
    return "=" in text and not os.path.exists(text)


def assignment(text: str) -> dict[str, object]:
    try:
        return file.parsed(text)
    except (ValueError, RecursionError) as error:
        hint = "write it as in TOML: a string in quotes, true or false, a list in brackets"
        raise ConfigurationError(f"--config: cannot read {text!r}; {hint}") from error
