"""The files that a run looks at, from the paths that the user gave."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch

from devlint.gitignore import Ignored, above

SUFFIXES = (".py", ".pyi", ".ipynb")
#: Folders that hold no source of the project; a folder that the user names is read all the same.
EXCLUDED = frozenset(
    (
        *(".bzr", ".git", ".hg", ".svn"),
        *(".eggs", ".nox", ".tox", "build", "dist"),
        *(".mypy_cache", ".pytest_cache", ".pytype", ".ruff_cache", "__pycache__"),
        *(".direnv", ".venv", "__pypackages__", "node_modules", "site-packages", "venv"),
        *(".ipynb_checkpoints", ".virtual_documents"),
    )
)


@dataclass(frozen=True, slots=True)
class Discovery:
    """Paths as they are shown, in order, and a line for each thing that cannot be linted."""

    files: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def discover(paths: Sequence[str], exclude: Sequence[str] = ()) -> Discovery:
    """The Python files and notebooks in `paths`.

    `exclude` are globs on a name or on a path as it is shown. A file that is named is linted
    whatever is excluded or ignored.
    """
    discovery = Discovery()
    found: dict[str, str] = {}
    for path in paths:
        if os.path.isdir(path):
            walk = Walk(exclude, discovery.complaints)
            found.update((each, shown(each)) for each in walk.files(os.path.abspath(path)))
        elif complaint := refusal(path):
            discovery.complaints.append(f"{path}: {complaint}")
        else:
            found[os.path.abspath(path)] = shown(os.path.abspath(path))
    discovery.files.extend(sorted(found.values()))
    return discovery


def shown(path: str) -> str:
    """Relative to the working directory when below it."""
    below = os.path.join(os.getcwd(), "")
    return path[len(below) :] if path.startswith(below) else path


def refusal(path: str) -> str | None:
    """Why a named path that is no folder cannot be linted."""
    if not os.path.exists(path):
        return "no such file or directory"
    return None if is_python(path) else "not a Python file"


def is_python(path: str) -> bool:
    """By its suffix, or as a script without one or with a `#!` line that names Python."""
    suffix = os.path.splitext(path)[1]
    if suffix in (*SUFFIXES, ".pyw", ""):
        return True
    try:
        with open(path, "rb") as file:
            first = file.readline(200)
    except OSError:
        # Whether or not it is Python, it cannot be read, which the run reports.
        return True
    return first.startswith(b"#!") and b"python" in first


@dataclass(frozen=True, slots=True)
class Walk:
    """One descent into a folder; links to folders are not followed, as git does not."""

    exclude: Sequence[str]
    complaints: list[str]

    def files(self, top: str) -> Iterator[str]:
        pending: list[tuple[str, Ignored]] = [(top, above(top))]
        while pending:
            folder, outer = pending.pop()
            entries = self._entries(folder)
            names = {entry.name for entry in entries}
            # A virtual environment of any name.
            if "pyvenv.cfg" in names and folder != top:
                continue
            ignored = outer.inside(folder) if ".gitignore" in names else outer
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if not self._skips_folder(entry, ignored):
                        pending.append((entry.path, ignored))
                elif self._takes(entry, ignored):
                    yield entry.path

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            self.complaints.append(f"{shown(folder)}: {(error.strerror or 'unreadable').lower()}")
            return []

    def _skips_folder(self, entry: os.DirEntry[str], ignored: Ignored) -> bool:
        return (
            entry.name in EXCLUDED
            or entry.name.endswith(".egg-info")
            or self._is_excluded(entry)
            or ignored.ignores(entry.path, is_folder=True)
        )

    def _takes(self, entry: os.DirEntry[str], ignored: Ignored) -> bool:
        return (
            entry.name.endswith(SUFFIXES)
            and entry.is_file()
            and not self._is_excluded(entry)
            and not ignored.ignores(entry.path, is_folder=False)
        )

    def _is_excluded(self, entry: os.DirEntry[str]) -> bool:
        if not self.exclude:
            return False
        path = shown(entry.path).replace(os.sep, "/")
        return any(
            fnmatch(entry.name, glob) or fnmatch(path, glob.rstrip("/")) for glob in self.exclude
        )
