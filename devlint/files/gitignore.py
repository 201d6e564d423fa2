"""Which paths git ignores: by `.gitignore`, nearest first, then by repository and user."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from dataclasses import dataclass, replace
from functools import cached_property

from devlint.files.ignore_patterns import Patterns
from devlint.text.reading import content

FILE = ".gitignore"
CASELESS = re.compile(rb"^\s*ignorecase\s*=\s*true", re.I | re.M)


@dataclass(frozen=True)
class Ignored:
    """The patterns that hold in one folder, nearest first."""

    patterns: tuple[Patterns, ...] = ()
    is_caseless: bool = False

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        verdicts = (each.verdict(path, is_folder=is_folder) for each in self.patterns)
        return next((verdict for verdict in verdicts if verdict is not None), False)

    def inside(self, folder: str) -> Ignored:
        """The same and what `folder`'s own `.gitignore` adds; git does not follow a link there."""
        path = os.path.join(folder, FILE)
        own = () if os.path.islink(path) else self.patterns_of(folder, path)
        return replace(self, patterns=(*own, *self.patterns)) if own else self

    def patterns_of(self, folder: str, path: str) -> tuple[Patterns, ...]:
        """The patterns of one ignore file; none when there is no such file."""
        lines = content(path).removeprefix(BOM_UTF8).split(b"\n")
        return (Patterns(folder, lines, is_caseless=self.is_caseless),) if any(lines) else ()


def above(folder: str) -> Ignored:
    """What holds in the absolute `folder`, its own `.gitignore` aside.

    A folder that is ignored but was named by the user is linted: nothing above it counts then.
    """
    chain: list[str] = []
    for each in parents(folder):
        chain.append(each)
        if is_root(each):
            break
    else:
        return Ignored()
    found = of_repository(chain[-1])
    for each in reversed(chain[1:]):
        found = found.inside(each)
    return Ignored() if any(found.ignores(each, is_folder=True) for each in chain[:-1]) else found


def is_root(folder: str) -> bool:
    """Whether a repository, one in another too, begins at the folder."""
    return os.path.lexists(os.path.join(folder, ".git"))


def of_repository(root: str) -> Ignored:
    """What holds in all of a repository."""
    repository = Repository(root)
    empty = Ignored(is_caseless=repository.is_caseless)
    files = (repository.exclude_file, repository.user_file)
    patterns = [each for path in files for each in empty.patterns_of(root, path)]
    return replace(empty, patterns=tuple(patterns))


def parents(folder: str) -> list[str]:
    """`folder` and all above it, nearest first."""
    found = [folder]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found


@dataclass(frozen=True)
class Repository:
    """Where a git repository keeps the ignore files that are not `.gitignore`."""

    root: str

    @property
    def exclude_file(self) -> str:
        return os.path.join(self._git_folder, "info", "exclude")

    @property
    def is_caseless(self) -> bool:
        """`core.ignoreCase`, which git sets where the file system wants it."""
        return CASELESS.search(content(os.path.join(self._git_folder, "config"))) is not None

    @property
    def user_file(self) -> str:
        """`core.excludesFile`; git is asked only when a configuration file mentions it."""
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        default = os.path.join(home, "git", "ignore")
        configurations = (
            os.path.join(self._git_folder, "config"),
            os.environ.get("GIT_CONFIG_GLOBAL") or os.path.expanduser("~/.gitconfig"),
            os.path.join(home, "git", "config"),
            os.environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig",
        )
        if any(map(mentions_excludes, configurations)):
            return self._configured or default
        return default

    @property
    def _configured(self) -> str:
        from devlint.files.git import GitError, git

        try:
            answer = git("config", "--type=path", "--get", "core.excludesFile", top=self.root)
        except GitError:
            return ""
        return os.path.join(self.root, os.fsdecode(answer.strip()))

    @cached_property
    def _git_folder(self) -> str:
        """`.git`, which in a worktree or submodule is a file that names the folder."""
        folder = os.path.join(self.root, ".git")
        if os.path.isfile(folder):
            folder = os.path.join(self.root, first_line(folder).removeprefix("gitdir: "))
        common = os.path.join(folder, "commondir")
        return os.path.join(folder, first_line(common)) if os.path.isfile(common) else folder


def first_line(path: str) -> str:
    return os.fsdecode(content(path).partition(b"\n")[0].strip())


def mentions_excludes(path: str) -> bool:
    """Whether a git configuration file sets `core.excludesFile` or may include one that does."""
    text = content(path).lower()
    return b"excludesfile" in text or b"[include" in text
