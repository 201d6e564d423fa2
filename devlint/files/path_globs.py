"""Which paths the globs of a configuration fit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby

from devlint.files.ignore_patterns import Patterns
from devlint.settings import Glob


class Globs:
    """The last glob that fits a path decides whether, with `!`, it is out again."""

    def __init__(self, globs: Sequence[Glob]) -> None:
        # What holds anywhere is the name of something or, with `*`, its end.
        anywhere = [each.pattern for each in globs if not each.folder]
        self._names = frozenset(each for each in anywhere if not each.startswith("*"))
        self._ends = tuple(each[1:] for each in anywhere if each.startswith("*"))
        said = groupby((each for each in globs if each.folder), lambda each: each.folder)
        self._patterns = [
            Patterns(folder, [os.fsencode(each.pattern) for each in group])
            for folder, group in said
        ]
        self._patterns.reverse()

    def fits(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether they fit an absolute path itself."""
        for each in self._patterns:
            verdict = each.verdict(path, is_folder=is_folder)
            if verdict is not None:
                return verdict
        name = os.path.basename(path)
        return name in self._names or name.endswith(self._ends)

    def cover(self, path: str) -> bool:
        """Whether they fit a file or a folder that it is in, below the folder that says so."""
        return self.fits(path) or any(
            each.verdict(parent, is_folder=True)
            for each in self._patterns
            for parent in between(each.below, path)
        )


def between(folder: str, path: str) -> list[str]:
    """The folders below `folder` that lead to the path."""
    parents = []
    below = os.path.join(folder, "")
    while (path := os.path.dirname(path)) != below and path.startswith(below):
        parents.append(path)
    return parents
