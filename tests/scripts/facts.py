"""The facts of `scripts.toml` and `injections.toml`: public scripts, and bugs put into them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from devlint.settings.file import parsed

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Change:
    """In `file`, below the repository, the text `old` becomes `new`; it is there once."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Script:
    """`data`: a maker of `data.py` and what it is given. `on_cpu`, `on_cuda`: further arguments.

    `checkpoint`: a file that it saves, and that plain torch has to load.
    """

    name: str
    repository: str
    path: str
    arguments: tuple[str, ...] = ()
    on_cpu: tuple[str, ...] = ()
    on_cuda: tuple[str, ...] = ()
    devices: int = 1
    data: tuple[tuple[Any, ...], ...] = ()
    changes: tuple[Change, ...] = ()
    checkpoint: str = ""

    @property
    def folder(self) -> str:
        """Where a clone of its repository is."""
        return self.repository.replace("/", "+")


@dataclass(frozen=True, slots=True)
class Injection:
    """`changes` make the line `crash` fail, because of what was made at `born`.

    Without `crash` it is a look-alike, as CUDA allows it.
    """

    script: str
    changes: tuple[Change, ...]
    crash: str = ""
    born: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the linter and a dry run disagree, in the scripts with `script` in their name (all if it
    is empty) on what has `what` in it."""

    side: str
    what: str
    why: str
    script: str = ""

    def fits(self, side: str, script: str, what: str) -> bool:
        return self.side == side and self.script in script and self.what in what


@cache
def explanations() -> list[Explanation]:
    return [Explanation(**entry) for entry in _read("disagreements")["disagreement"]]


def scripts() -> list[Script]:
    return [_script(**entry) for entry in _read("scripts")["script"]]


def commits() -> dict[str, str]:
    """Of the repositories of the scripts."""
    return dict(_read("scripts")["repositories"])


def _read(name: str) -> dict[str, Any]:
    return parsed((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _script(**entry: Any) -> Script:
    changes = _changes(entry.pop("replace", ()), entry["path"])
    data = tuple(tuple(each) for each in entry.pop("data", ()))
    lists = {name: tuple(value) for name, value in entry.items() if isinstance(value, list)}
    return Script(**(entry | lists), changes=changes, data=data)


def _changes(entries: Iterable[dict[str, str]], path: str) -> tuple[Change, ...]:
    return tuple(Change(each.get("file", path), each["old"], each["new"]) for each in entries)


def injections() -> list[Injection]:
    """Those in `scripts()`; raise `KeyError` for another script."""
    paths = {script.name: script.path for script in scripts()}
    return [_injection(paths, **entry) for entry in _read("injections")["injection"]]


def _injection(paths: dict[str, str], script: str, replace: Any, **entry: str) -> Injection:
    return Injection(script, _changes(replace, paths[script]), **entry)
