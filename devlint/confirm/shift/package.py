"""The packages under test: their modules, their files, and which they are if nobody names them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from importlib.util import find_spec
from itertools import dropwhile
from pathlib import Path

from devlint.confirm.device_tags.provenance import Birth, count_as_users
from devlint.settings.file import parsed
from devlint.text.reading import read

_MODULE = "<module>"


class PackageError(Exception):
    """It is not known which package is under test; the message says what to do."""


class Package:
    """One package or several, by their dotted names; `tests` are files that belong to none.

    They are looked for where Python does, and then in the project in the folder `root`. Raises
    `PackageError` where one is not there. `places`: its folders, and its files that are in none.
    """

    def __init__(self, names: Iterable[str], root: Path | None = None) -> None:
        self.names = tuple(names)
        paths = [str(each) for each in sources_of(root)] if root else []
        self._within = tuple(f"{name}." for name in self.names)
        self.places = tuple(place for name in self.names for place in _places(name, paths))
        self.tests: set[str] = set()
        for place in self.places:
            count_as_users(place)

    def has_module(self, name: object) -> bool:
        """Whether a module of that name is a part of it."""
        return isinstance(name, str) and (name in self.names or name.startswith(self._within))

    def has_file(self, path: str) -> bool:
        return path.startswith(self.places) and path not in self.tests

    def has_made(self, birth: Birth) -> bool:
        """Whether its code is the innermost of the lines that made something, and runs for itself:
        what it makes for a function of the test that it calls is the test's."""
        callers = dropwhile(self.has_file, (path for path, _, _ in birth))
        return bool(birth) and self.has_file(birth[0][0]) and not any(map(self.has_file, callers))

    def has_made_on_import(self, birth: Birth) -> bool:
        """Whether it made something while one of its modules was imported."""
        for path, _, function in birth:
            if not self.has_file(path):
                return False
            if function == _MODULE:
                return True
        return False


def _places(name: str, paths: list[str]) -> Iterator[str]:
    top, *parts = name.split(".")
    if not all(map(str.isidentifier, (top, *parts))):
        raise PackageError(f"{name!r} is no name of a package; one is given behind `=`")
    spec = find_spec(top) or PathFinder.find_spec(top, paths)
    if spec is None:
        raise PackageError(f"no package {top!r} can be imported: name the one that is under test")
    if spec.submodule_search_locations is None and parts:
        raise PackageError(f"{top!r} is a file, which has no {name!r}: name a package behind `=`")
    for folder in spec.submodule_search_locations or ():
        place = os.path.join(folder, *parts)
        is_file = not os.path.isdir(place) and os.path.isfile(f"{place}.py")
        yield f"{place}.py" if is_file else os.path.join(place, "")  # With a separator at the end.
    if spec.submodule_search_locations is None and spec.origin:
        yield spec.origin


def sources_of(root: Path) -> tuple[Path, Path]:
    """The folders of a project that may hold its packages."""
    return root / "src", root


def package_of(root: Path) -> str:
    """The package whose project is in the folder: the one it is named after, or the only one."""
    for folder in sources_of(root):
        found = sorted(path.parent.name for path in folder.glob("*/__init__.py"))
        if named := [name for name in found if name == _project_name(root)]:
            return named[0]
        if len(found) == 1:
            return found[0]
    raise PackageError("name the package that is under test, such as --devlint-shift=PACKAGE")


def _project_name(root: Path) -> str:
    """What the project is called, as a package would be; nothing if it does not say."""
    try:
        name = parsed(read(str(root / "pyproject.toml")).decode())["project"]["name"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return str(name).lower().replace("-", "_").replace(".", "_")
