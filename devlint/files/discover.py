"""The files that a run looks at, from the paths that the user gave."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from devlint.files.gitignore import Ignored, above, of_repository
from devlint.files.path_globs import Globs, between
from devlint.settings import Configuration, Settings
from devlint.settings.configuration import Scope
from devlint.text.display_paths import shown
from devlint.text.reading import reason

#: What a path that is named may end in, besides what is included.
SUFFIXES = (".py", ".pyi", ".pyw", ".ipynb", "")
#: Folders of copies that Jupyter makes of notebooks: they are never linted, even when named.
COPIES = frozenset((".ipynb_checkpoints", ".virtual_documents"))


@dataclass(frozen=True, slots=True)
class Discovery:
    """Paths as they are shown, in order, and a line for each thing that cannot be linted."""

    files: list[str] = field(default_factory=list)
    #: Those of them that were named one by one.
    named: set[str] = field(default_factory=set)
    complaints: list[str] = field(default_factory=list)


def discover(paths: Sequence[str], configuration: Configuration | None = None) -> Discovery:
    """The Python files and notebooks in `paths`.

    A file that is named is linted whatever is excluded or ignored, unless `force-exclude` is set
    or it is a copy that Jupyter made.
    """
    discovery = Discovery()
    selection = Selection(configuration or Configuration())
    found: dict[str, str] = {}
    for path in paths:
        absolute = os.path.abspath(path)
        if os.path.isdir(path):
            if not selection.forbids(absolute, is_folder=True):
                walk = Walk(selection, discovery.complaints)
                found.update((each, shown(each)) for each in walk.files(absolute))
        elif selection.forbids(absolute, is_folder=False):
            continue
        elif complaint := selection.refusal(path):
            discovery.complaints.append(f"{path or repr(path)}: {complaint}")
        else:
            found[absolute] = shown(absolute)
            discovery.named.add(found[absolute])
    discovery.files.extend(sorted(found.values()))
    return discovery


@dataclass(frozen=True, slots=True)
class Choice:
    """What some settings include and exclude."""

    included: Globs
    excluded: Globs
    respects_git: bool

    @classmethod
    def of(cls, settings: Settings) -> Choice:
        return cls(
            Globs((*settings.include, *settings.extend_include)),
            Globs((*settings.exclude, *settings.extend_exclude)),
            settings.respect_gitignore,
        )


class Selection:
    """Which files the settings choose; each folder has its own."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self._choices: dict[Scope, Choice] = {}

    def choice(self, folder: str) -> Choice:
        """For what is in an absolute folder."""
        scope = self.configuration.scope(folder)
        if (known := self._choices.get(scope)) is None:
            known = self._choices[scope] = Choice.of(scope.settings)
        return known

    def forbids(self, path: str, *, is_folder: bool) -> bool:
        """Whether an absolute path that somebody named is left out all the same: it, or a folder
        that leads to it from that of the configuration."""
        if not COPIES.isdisjoint(path.split(os.sep)):
            return True
        folder = os.path.dirname(path)
        scope = self.configuration.scope(folder)
        if not scope.settings.force_exclude:
            return False
        excluded = self.choice(folder).excluded
        return excluded.fits(path, is_folder=is_folder) or any(
            excluded.fits(each, is_folder=True) for each in between(scope.root, path)
        )

    def refusal(self, path: str) -> str | None:
        """Why a named path that is no folder cannot be linted."""
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                return "not a regular file"
        except (FileNotFoundError, NotADirectoryError):
            return "no such file or directory"
        except OSError:
            pass  # There is something, of which the run reports that it cannot be read.
        absolute = os.path.abspath(path)
        is_included = self.choice(os.path.dirname(absolute)).included.cover(absolute)
        return None if is_included or is_python(path) else "not a Python file"


def is_python(path: str) -> bool:
    """By its suffix, or as a script without one or with a `#!` line that names Python."""
    if os.path.splitext(path)[1] in SUFFIXES:
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

    selection: Selection
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
            if ".git" in names and folder != top:
                outer = of_repository(folder)
            choice = self.selection.choice(folder)
            ignored = outer.inside(folder) if ".gitignore" in names else outer
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if not self._skips_folder(entry, choice, ignored):
                        pending.append((entry.path, ignored))
                elif self._takes(entry, choice, ignored):
                    yield entry.path

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            self.complaints.append(f"{shown(folder)}: {reason(error)}")
            return []

    def _skips_folder(self, entry: os.DirEntry[str], choice: Choice, ignored: Ignored) -> bool:
        return (
            entry.name == ".git"
            or entry.name in COPIES
            or choice.excluded.fits(entry.path, is_folder=True)
            or (choice.respects_git and ignored.ignores(entry.path, is_folder=True))
        )

    def _takes(self, entry: os.DirEntry[str], choice: Choice, ignored: Ignored) -> bool:
        return (
            choice.included.cover(entry.path)
            and is_file(entry)
            and not choice.excluded.fits(entry.path)
            and not (choice.respects_git and ignored.ignores(entry.path, is_folder=False))
        )


def is_file(entry: os.DirEntry[str]) -> bool:
    """A link that leads nowhere, or to itself, is none."""
    try:
        return entry.is_file()
    except OSError:
        return False
