"""Which paths git ignores: by `.gitignore`, nearest first, then by repository and user."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILE = ".gitignore"


@dataclass(frozen=True, slots=True)
class Patterns:
    """One ignore file's patterns, which hold below `folder`."""

    folder: str
    spec: GitIgnoreSpec

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether they ignore or, with `!`, keep `path`; None when they do not say."""
        relative = os.path.relpath(path, self.folder).replace(os.sep, "/")
        return self.spec.check_file(relative + "/" * is_folder).include


@dataclass(frozen=True)
class Ignored:
    """The patterns that hold in one folder, nearest first."""

    patterns: tuple[Patterns, ...] = ()

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        verdicts = (each.verdict(path, is_folder=is_folder) for each in self.patterns)
        return next((verdict for verdict in verdicts if verdict is not None), False)

    def inside(self, folder: str) -> Ignored:
        """The same and what `folder`'s own `.gitignore` adds."""
        own = patterns(folder, os.path.join(folder, FILE))
        return Ignored((*own, *self.patterns)) if own else self


def above(folder: str) -> Ignored:
    """What holds in the absolute `folder`, its own `.gitignore` aside.

    A folder that is ignored but was named by the user is linted: nothing above it counts then.
    """
    root = next((each for each in parents(folder) if os.path.lexists(f"{each}/.git")), None)
    if root is None:
        return Ignored()
    repository = Repository(root)
    found = Ignored(
        (*patterns(root, repository.exclude_file), *patterns(root, repository.user_file))
    )
    for parent in reversed(parents(folder)):
        if parent == folder or not parent.startswith(root):
            continue
        found = found.inside(parent)
    chain = [each for each in parents(folder) if len(each) > len(root)]
    return Ignored() if any(found.ignores(each, is_folder=True) for each in chain) else found


def parents(folder: str) -> list[str]:
    """`folder` and all above it, nearest first."""
    return [folder, *map(str, Path(folder).parents)]


def patterns(folder: str, path: str) -> tuple[Patterns, ...]:
    """The patterns of one ignore file; none when there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ()
    from pathspec import GitIgnoreSpec

    return (Patterns(folder, GitIgnoreSpec.from_lines(text.split("\n"))),)


@dataclass(frozen=True)
class Repository:
    """Where a git repository keeps the ignore files that are not `.gitignore`."""

    root: str

    @property
    def exclude_file(self) -> str:
        return os.path.join(self._git_folder, "info", "exclude")

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
        import subprocess

        command = ["git", "-C", self.root, "config", "--type=path", "--get", "core.excludesFile"]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return ""
        return os.path.join(self.root, answer.stdout.strip()) if answer.returncode == 0 else ""

    @cached_property
    def _git_folder(self) -> str:
        """`.git`, which in a worktree or submodule is a file that names the folder."""
        folder = os.path.join(self.root, ".git")
        if os.path.isfile(folder):
            folder = os.path.join(self.root, first_line(folder).removeprefix("gitdir: "))
        common = os.path.join(folder, "commondir")
        return os.path.join(folder, first_line(common)) if os.path.isfile(common) else folder


def first_line(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.readline().strip()


def mentions_excludes(path: str) -> bool:
    """Whether a git configuration file sets `core.excludesFile` or may include one that does."""
    try:
        with open(path, "rb") as file:
            text = file.read().lower()
    except OSError:
        return False
    return b"excludesfile" in text or b"[include" in text
