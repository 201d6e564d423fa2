"""The kinds of values that options take: how a file writes one, and what is made of it."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from devlint.settings.version import is_requirement
from devlint.text.display_paths import shown
from devlint.text.suggestion import suggestion


class UnfitError(ValueError):
    """A value that an option does not take; the message says what it takes."""

    def __init__(self, expected: str, value: object, hint: str = "") -> None:
        super().__init__(f"expected {expected}, not {described(value)}{hint}")


class Glob(NamedTuple):
    """A pattern as in `.gitignore`, for what is below `folder`; without one, for names alone."""

    pattern: str
    folder: str = ""


class Kind(ABC):
    #: What a file has to say, in words.
    words: ClassVar[str]

    @abstractmethod
    def read(self, value: object, folder: str) -> Any:
        """What is made of a value in a file in `folder`."""

    def plain(self, value: Any) -> Any:
        """The value as a file would say it."""
        return value

    @property
    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of such values."""


class Flag(Kind):
    words = "true or false"

    def read(self, value: object, folder: str) -> bool:
        if isinstance(value, bool):
            return value
        raise UnfitError(self.words, value)

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class Count(Kind):
    words = "a whole number from 1 on"

    def read(self, value: object, folder: str) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        raise UnfitError(self.words, value)

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": 1}


class Text(Kind):
    words = "a string"

    def read(self, value: object, folder: str) -> str:
        if isinstance(value, str):
            return value
        raise UnfitError(self.words, value)

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


class File(Text):
    """A path, from the folder of the file that says it."""

    words = "a path"

    def read(self, value: object, folder: str) -> str:
        if path := super().read(value, folder):
            return os.path.normpath(os.path.join(folder, os.path.expanduser(path)))
        raise UnfitError(self.words, value)

    def plain(self, value: str | None) -> str | None:
        return None if value is None else shown(value)


@dataclass(frozen=True)
class Choice(Text):
    values: Sequence[str]

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"one of {', '.join(self.values)}"

    def read(self, value: object, folder: str) -> str:
        if value in self.values:
            return str(value)
        hint = suggestion(value, self.values) if isinstance(value, str) else ""
        raise UnfitError(self.words, value, hint)

    @property
    def schema(self) -> dict[str, Any]:
        return {"enum": [*self.values]}


class Version(Text):
    """Versions as a requirement names them."""

    words = 'versions, such as ">=0.2,<1"'

    def read(self, value: object, folder: str) -> str:
        text = super().read(value, folder)
        if is_requirement(text):
            return text
        raise UnfitError(self.words, value)


class Strings(Kind):
    words = "a list of strings"

    def read(self, value: object, folder: str) -> tuple[Any, ...]:
        if isinstance(value, str):
            raise UnfitError(self.words, value, f'; write ["{value}"]')
        if not isinstance(value, (list, tuple)):
            raise UnfitError(self.words, value)
        return tuple(self.item(each, folder) for each in value)

    def item(self, value: object, folder: str) -> Any:
        if isinstance(value, str) and value.strip():
            return value.strip()
        raise UnfitError(self.words, [value])

    def plain(self, value: Iterable[Any]) -> list[Any]:
        return [*value]

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string", "minLength": 1}}


class Rules(Strings):
    """Codes, the start of them, names, or `ALL`."""

    words = "a list of rules"


class Globs(Strings):
    words = "a list of globs"

    def item(self, value: object, folder: str) -> Glob:
        return glob(super().item(value, folder), folder)

    def plain(self, value: Iterable[Glob]) -> list[str]:
        return [*map(plain_glob, value)]


class Names(Strings):
    """Full names of functions or classes, as `package.module.function`."""

    words = "a list of full names"
    pattern = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")

    def item(self, value: object, folder: str) -> str:
        text: str = super().item(value, folder)
        if self.pattern.fullmatch(text):
            return text
        raise UnfitError(self.words, [text])

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "array",
            "items": {"type": "string", "pattern": f"^{self.pattern.pattern}$"},
        }


class Words(Names):
    words = "a list of names"
    pattern = re.compile(r"[^\W\d]\w*")


class Packages(Words):
    words = "a list of packages"


@dataclass(frozen=True)
class Table(Kind):
    """A table, kept as pairs."""

    value: Kind
    has_globs: bool = False

    @property
    def words(self) -> str:  # type: ignore[override]
        return f"a table from {'globs' if self.has_globs else 'rules'} to {self.value.words}"

    def read(self, value: object, folder: str) -> tuple[tuple[Any, Any], ...]:
        if not isinstance(value, dict):
            raise UnfitError(self.words, value)
        return tuple(
            (glob(key, folder) if self.has_globs else key, self.value.read(each, folder))
            for key, each in value.items()
        )

    def plain(self, value: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        return {
            plain_glob(key) if self.has_globs else key: self.value.plain(each)
            for key, each in value
        }

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.value.schema}


def glob(text: str, folder: str) -> Glob:
    """A glob as users write it: relative to `folder`, also with `./` or `../`, or absolute."""
    bang, pattern = ("!", text[1:]) if text.startswith("!") else ("", text)
    pattern = pattern.removeprefix("./")
    if pattern.startswith(os.path.join(folder, "")):
        pattern = pattern[len(folder.rstrip(os.sep)) :]
    while pattern.startswith("../"):
        folder, pattern = os.path.dirname(folder), pattern[3:].removeprefix("/")
        pattern = pattern if pattern.startswith("../") else f"/{pattern}"
    return Glob(bang + pattern, folder)


def plain_glob(glob: Glob) -> str:
    if glob.folder in ("", os.getcwd()):
        return glob.pattern
    bang = "!" * glob.pattern.startswith("!")
    return f"{bang}{os.path.join(shown(glob.folder), glob.pattern.lstrip('!/'))}"


def described(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"a list with {described(value[0])}" if value else "an empty list"
    if isinstance(value, dict):
        return "a table"
    return f"'{value}'" if isinstance(value, str) else str(value)
