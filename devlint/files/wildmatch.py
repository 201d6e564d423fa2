"""The wildcards of git as regular expressions, byte by byte as git itself matches (wildmatch.c)."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from typing import NamedTuple

SPECIAL = re.compile(rb"[*?\[\\]")
#: What matches nothing, as a pattern that is malformed.
NOTHING = b"(?!)"
CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, (*range(32), 127))),
    "digit": string.digits,
    "graph": "".join(map(chr, range(33, 127))),
    "lower": string.ascii_lowercase,
    "print": "".join(map(chr, range(32, 127))),
    "punct": string.punctuation,
    "space": string.whitespace,
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}
MEMBERS = {name.encode(): frozenset(each.encode()) for name, each in CLASSES.items()}


class MalformedError(ValueError):
    """A pattern that git lets match nothing."""


def regex(pattern: bytes) -> bytes:
    """The regular expression of a pattern; what stands before its first wildcard is literal."""
    special = SPECIAL.search(pattern)
    if special is None:
        return re.escape(pattern)
    start = special.start()
    try:
        return re.escape(pattern[:start]) + Translation(pattern[start:]).regex()
    except MalformedError:
        return NOTHING


class Wild(NamedTuple):
    """A wildcard, by what it takes of a path: as little as may be, and as much."""

    least: bytes
    most: bytes


STAR = Wild(b"[^/]*?", b"[^/]*")
#: `**/`
FOLDERS = Wild(b"(?:.*?/)??", b"(?:.*/)?")
#: `**` at the end, or before `\\/`.
ANYTHING = Wild(b".*?", b".*")


class Translation:
    """A walk over a pattern; `**` counts as at its start where the literal part ends, as in git."""

    def __init__(self, pattern: bytes) -> None:
        self.pattern = pattern
        self.at = 0
        self._groups = count()

    def regex(self) -> bytes:
        parts: list[bytes | Wild] = []
        while self.at < len(self.pattern):
            parts.append(self._next())
        return self._joined(parts, (FOLDERS, ANYTHING))

    def _joined(self, parts: Sequence[bytes | Wild], wildcards: Collection[Wild]) -> bytes:
        """The parts with the first match of what stands between two wildcards of a kind: if that
        does not lead to the end, no later one does. To try them all takes exponential time."""
        first, *others = divided(parts, wildcards)
        done = self._piece(first[1:], wildcards)
        for index, (wild, *piece) in enumerate(others, 1):
            assert isinstance(wild, Wild)
            rest = self._piece(piece, wildcards)
            is_last = index == len(others)
            done += wild.most + rest if is_last else self._first(wild.least + rest)
        return done

    def _piece(self, parts: Sequence[bytes | Wild], wildcards: Collection[Wild]) -> bytes:
        if STAR in wildcards:
            return b"".join(each for each in parts if isinstance(each, bytes))
        return self._joined(parts, (STAR,))

    def _first(self, regex: bytes) -> bytes:
        """What never tries another match."""
        name = b"g%d" % next(self._groups)
        return b"(?=(?P<%s>%s))(?P=%s)" % (name, regex, name)

    def _next(self) -> bytes | Wild:
        sign = self._take()
        if sign == b"*":
            return self._stars()
        if sign == b"?":
            return b"[^/]"
        if sign == b"[":
            return self._set()
        return re.escape(self._take() if sign == b"\\" else sign)

    def _take(self) -> bytes:
        if self.at == len(self.pattern):
            raise MalformedError
        self.at += 1
        return self.pattern[self.at - 1 : self.at]

    def _stars(self) -> Wild:
        before = self.pattern[: self.at - 1]
        is_many = self.pattern[self.at : self.at + 1] == b"*"
        while self.pattern[self.at : self.at + 1] == b"*":
            self.at += 1
        after = self.pattern[self.at :]
        is_whole = not before or before.endswith(b"/")
        if not (is_many and is_whole and (not after or after.startswith((b"/", b"\\/")))):
            return STAR
        if not after.startswith(b"/"):
            return ANYTHING
        self.at += 1
        return FOLDERS

    def _set(self) -> bytes:
        """A set in brackets, member by member: what Python makes of ranges is not what git does."""
        sign = self._take()
        is_negated = sign in (b"!", b"^")
        if is_negated:
            sign = self._take()
        members: set[int] = set()
        before: bytes = b""
        while True:
            before = self._member(sign, before, members)
            sign = self._take()
            if sign == b"]":
                break
        members = set(range(256)) - members if is_negated else members
        members.discard(ord("/"))
        listed = b"".join(re.escape(bytes((each,))) for each in sorted(members))
        return b"[%s]" % listed if listed else NOTHING

    def _member(self, sign: bytes, before: bytes, members: set[int]) -> bytes:
        """Take in a member; what a range after it would start with."""
        following = self.pattern[self.at : self.at + 1]
        if sign == b"\\":
            sign = self._take()
        elif sign == b"-" and before and following not in (b"", b"]"):
            end = self._take()
            members |= {*range(ord(before), ord(self._take() if end == b"\\" else end) + 1)}
            return b""
        elif sign == b"[" and following == b":" and (name := self._class()) is not None:
            members |= MEMBERS[name]
            return b""
        members.add(ord(sign))
        return sign

    def _class(self) -> bytes | None:
        """The name in `[:name:]`; None where it is no such thing."""
        end = self.pattern.find(b"]", self.at + 1)
        if end < 0:
            raise MalformedError
        name = self.pattern[self.at + 1 : end]
        if not name.endswith(b":"):
            return None
        if name[:-1] not in MEMBERS:
            raise MalformedError
        self.at = end + 1
        return name[:-1]


def divided(
    parts: Sequence[bytes | Wild], wildcards: Collection[Wild]
) -> Iterator[list[bytes | Wild]]:
    """The parts up to the first of some wildcards, behind nothing, then each with what follows."""
    piece: list[bytes | Wild] = [b""]
    for each in parts:
        if each in wildcards:
            yield piece
            piece = []
        piece.append(each)
    yield piece
