"""Which file an import names, by the folders of a tree alone: nothing is imported."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from devlint.project.dependencies import Dependencies
from devlint.project.files import Entry, Files
from devlint.project.installed import NOTHING, Installed

INIT = "__init__.py"
#: What the folder of a repository or of a distribution holds.
REPOSITORY = frozenset({".git", ".hg", ".svn"})
DISTRIBUTION = frozenset({"pyproject.toml", "setup.py", "setup.cfg", "devlint.toml"})
#: Folders within others from which packages are imported.
LAYOUTS = ("src", "lib")
#: What a program adds to the folders that it imports from, where that is written out.
ADDED = re.compile(
    r"\bsys\.path\.(?:append\(|insert\(\s*\d+\s*,)\s*(?:r|u)?(['\"])(?P<folder>[^'\"\n]*)\1\s*\)"
)


@dataclass(frozen=True, slots=True)
class Module:
    """A module of a project. `path` is that of its file; of a namespace package, its folder."""

    path: str
    is_namespace: bool = False

    @property
    def folder(self) -> str:
        """Where its relative imports count from; of a package, where its submodules are."""
        return self.path if self.is_namespace else os.path.dirname(self.path)

    @property
    def is_package(self) -> bool:
        return self.is_namespace or os.path.basename(self.path) == INIT


@lru_cache(maxsize=16)  # Each import of a program asks.
def hints(text: str) -> tuple[tuple[str, ...], bool]:
    """The folders that a program adds to the path, and whether it does something when it is run."""
    added = ADDED.finditer(text) if "sys.path" in text else ()
    return tuple(each["folder"] for each in added), "__main__" in text


class Modules:
    """The modules below `roots`, around whatever imports others, and of what is `installed`."""

    def __init__(
        self, files: Files, roots: Sequence[str] = (), installed: Installed = NOTHING
    ) -> None:
        self.files = files
        self.installed = installed
        self.roots = frozenset(roots)
        #: What each of them has asked for.
        self.asked = Dependencies()
        #: The names that are being looked up, and one of each, for many modules ask for the same.
        self._names = set[tuple[str, str]]()
        self._looked_up: dict[tuple[str, str], tuple[str, str]] = {}
        self._paths: dict[str, tuple[list[str], set[tuple[str, str]]]] = {}

    def find(self, dotted: str, importer: Module, text: str = "") -> Module | None:
        """What a module means by a dotted name, which may be relative; `text` is that of it."""
        self._names = self.asked[importer.path].names
        name = dotted.lstrip(".")
        dots, names = len(dotted) - len(name), name.split(".") if name else []
        if dots:
            base = importer.folder
            for _ in range(dots - 1):
                base = os.path.dirname(base)
            return self._below(base, names)
        if names[0] in sys.stdlib_module_names:
            return None
        namespace: Module | None = None
        for folder in self._folders(names, importer, text):
            found = self._below(folder, names)
            if found is not None and found != importer:
                if not found.is_namespace:
                    return found
                namespace = namespace or found
        return namespace

    def is_whole(self, module: Module) -> bool:
        """Whether all of its repository, else of its distribution, is below the roots; what is in
        neither is whole below one."""
        self._names = self.asked[module.path].names
        climbed = self._climbed(self._start(module.folder))
        end = climbed[-1]
        if not self._has_any(end, REPOSITORY):
            marked = (each for each in climbed if self._has_any(each, DISTRIBUTION))
            end = next(marked, climbed[0])
        return any(f"{end}{os.sep}".startswith(os.path.join(root, "")) for root in self.roots)

    def is_distributed(self, module: Module) -> bool:
        """Whether others may install what it belongs to."""
        self._names = self.asked[module.path].names
        return self._is_distributed(module.folder)

    def submodule(self, package: Module, name: str) -> Module | None:
        self._names = self.asked[package.path].names
        return self._below(package.folder, [name]) if package.is_package else None

    def _folders(self, names: Sequence[str], importer: Module, text: str) -> Iterator[str]:
        """Where a module's import is looked for; what is installed sees of its own kind alone what
        is to be read. At last, where the folder is that the module is in, if that has the name."""
        if self.installed.has(importer.path):
            yield from self.installed.folders if names[0] in self.installed.packages else ()
            return
        yield from self.search_path(importer, text)
        if names[0] in self.installed.packages:
            yield from self.installed.folders
        if len(names) > 1:
            yield from enclosing(importer.folder, names[0])

    def search_path(self, importer: Module, text: str = "") -> list[str]:
        """The folders that a module's absolute imports are looked for in: first what it adds, then
        that of its package, or of itself, then those above; of a script in a package, its own."""
        folder = importer.folder
        told, is_script = hints(text)
        added = [os.path.normpath(os.path.join(folder, each)) for each in told]
        above, names = self._above(folder)
        self._names |= names
        own = [folder] if is_script else []
        return list(dict.fromkeys([*added, *above, *own]))

    def _above(self, folder: str) -> tuple[list[str], set[tuple[str, str]]]:
        """The folders, from that of the package that a folder is in up to that of the project, then
        those within a package that nobody installs: scripts in it may import it from there; and
        the names that say so."""
        if folder not in self._paths:
            outer, self._names = self._names, set()
            self._paths[folder] = list(self._search_path(folder)), self._names
            self._names = outer
        return self._paths[folder]

    def _search_path(self, folder: str) -> Iterator[str]:
        top, start = self._top(folder), self._start(folder)
        within = () if start == top else (start,)
        for each in (*self._up_to_project(top), *within):
            yield each
            inner = (name for name in LAYOUTS if self._has(each, name, "folder"))
            yield from (os.path.join(each, name) for name in inner)
        if not self._is_distributed(folder):
            yield from self._out_of_packages(folder)

    def _is_distributed(self, folder: str) -> bool:
        climbed = self._climbed(self._start(folder))
        return any(self._has_any(each, DISTRIBUTION) for each in climbed)

    def _top(self, folder: str) -> str:
        """The first folder above that belongs to no package; of what is in none, its own."""
        *_, top = self._out_of_packages(folder)
        return top

    def _start(self, folder: str) -> str:
        """The same, or that of a repository or a root, though it is a package: programs are run
        from there."""
        for start in self._out_of_packages(folder):
            if start in self.roots or self._has_any(start, REPOSITORY):
                break
        return start

    def _out_of_packages(self, folder: str) -> Iterator[str]:
        """A folder and those above it, up to the first that belongs to no package."""
        yield folder
        while self._has(folder, INIT) and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
            yield folder

    def _up_to_project(self, top: str) -> list[str]:
        """A folder and those above it, up to that of its repository, else to that of its
        distribution or to a root, whichever is higher; without any, the folder alone."""
        climbed, end = self._climbed(top), 0
        if self._has_any(climbed[-1], REPOSITORY):
            return climbed
        for number, each in enumerate(climbed, start=1):
            is_distribution = not end and self._has_any(each, DISTRIBUTION)
            if each in self.roots or is_distribution:
                end = number
        return climbed[: max(end, 1)]

    def _climbed(self, folder: str) -> list[str]:
        """A folder and all above it, up to that of its repository, if it is in one."""
        climbed = [folder]
        while not self._has_any(climbed[-1], REPOSITORY):
            above = os.path.dirname(climbed[-1])
            if above == climbed[-1]:
                break
            climbed.append(above)
        return climbed

    def _below(self, base: str, names: Sequence[str]) -> Module | None:
        """A module by its names from a folder."""
        folder = base
        for name in names[:-1]:
            if not self._has(folder, name, "folder"):
                return None
            folder = os.path.join(folder, name)
        if not names:
            return self._package(*os.path.split(folder))
        package = self._package(folder, names[-1])
        if (package is None or package.is_namespace) and self._has(folder, f"{names[-1]}.py"):
            return Module(os.path.join(folder, f"{names[-1]}.py"))
        return package

    def _package(self, folder: str, name: str) -> Module | None:
        inner = os.path.join(folder, name)
        if not self._has(folder, name, "folder"):
            return None
        if self._has(inner, INIT):
            return Module(os.path.join(inner, INIT))
        return Module(inner, is_namespace=True)

    def _has_any(self, folder: str, names: Iterable[str]) -> bool:
        return any(self._entry(folder, name) for name in names)

    def _has(self, folder: str, name: str, kind: Entry = "file") -> bool:
        return self._entry(folder, name) == kind

    def _entry(self, folder: str, name: str) -> Entry | None:
        asked = folder, name
        self._names.add(self._looked_up.setdefault(asked, asked))
        return self.files.entry(folder, name)


def enclosing(folder: str, name: str) -> Iterator[str]:
    """What a folder of a name is in that a folder is in, or is itself."""
    while (above := os.path.dirname(folder)) != folder:
        if os.path.basename(folder) == name:
            yield above
        folder = above
