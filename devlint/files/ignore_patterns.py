"""Patterns as in `.gitignore`: which paths below a folder they fit."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from devlint.files.wildmatch import SPECIAL, regex

SPACES = re.compile(rb"((?:[^\\]|\\.)*?) *", re.S)


class Pattern(NamedTuple):
    """One line; `number` is its place among the lines, the last of which decides."""

    number: int
    text: bytes
    is_negated: bool
    is_for_folders: bool
    #: Fits names at any depth.
    is_name: bool


class Patterns:
    """The patterns of one file, which hold below `folder`.

    Most are plain names or ends of names, and are looked up.
    """

    def __init__(self, folder: str, lines: Iterable[bytes], *, is_caseless: bool = False) -> None:
        self.below = os.path.join(folder, "")
        self.is_caseless = is_caseless
        self._plain: defaultdict[bytes, list[Pattern]] = defaultdict(list)
        self._ends: list[tuple[bytes, Pattern]] = []
        self._wild: list[tuple[re.Pattern[bytes], Pattern]] = []
        for pattern in parsed(lines):
            self._add(pattern._replace(text=self._cased(pattern.text)))

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether they fit an absolute path or, with `!`, take it back; None where none says."""
        if not path.startswith(self.below):
            return None
        relative = self._cased(os.fsencode(path[len(self.below) :].replace(os.sep, "/")))
        fitting = [each for each in self._fitting(relative) if is_folder or not each.is_for_folders]
        return not max(fitting).is_negated if fitting else None

    def _cased(self, text: bytes) -> bytes:
        return text.lower() if self.is_caseless else text

    def _add(self, pattern: Pattern) -> None:
        text = pattern.text
        if not SPECIAL.search(text):
            # No name has a slash, no path from a folder starts with one.
            self._plain[text if pattern.is_name else b"/" + text].append(pattern)
        elif pattern.is_name and text.startswith(b"*") and not SPECIAL.search(text, 1):
            self._ends.append((text[1:], pattern))
        else:
            self._wild.append((re.compile(regex(text), re.S), pattern))

    def _fitting(self, path: bytes) -> Iterator[Pattern]:
        name = path.rpartition(b"/")[2]
        yield from self._plain.get(name, ())
        yield from self._plain.get(b"/" + path, ())
        for end, pattern in self._ends:
            if name.endswith(end):
                yield pattern
        for wild, pattern in self._wild:
            if wild.fullmatch(name if pattern.is_name else path):
                yield pattern


def parsed(lines: Iterable[bytes]) -> Iterator[Pattern]:
    for number, line in enumerate(lines):
        if line.startswith(b"#"):
            continue
        text = trimmed(line.removesuffix(b"\r"))
        is_negated = text.startswith(b"!")
        text = text[is_negated:]
        is_for_folders = text.endswith(b"/")
        text = text[: len(text) - is_for_folders]
        if text:
            is_name = b"/" not in text
            yield Pattern(number, text.removeprefix(b"/"), is_negated, is_for_folders, is_name)


def trimmed(line: bytes) -> bytes:
    """Without the spaces at its end that no backslash keeps."""
    found = SPACES.fullmatch(line)
    # A lone backslash at the end keeps everything.
    return found[1] if found else line
