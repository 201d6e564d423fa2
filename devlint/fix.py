"""What a file becomes by the fixes of its findings, and the difference as a patch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import diff_bytes, unified_diff
from operator import itemgetter
from typing import Any

from devlint.check import check
from devlint.finding import Edit, Finding, Patch, Safety
from devlint.rule import Rule
from devlint.source import decode, edited, encoding_of

#: Fixes that wait for others to be applied first are rare: each waits for one round.
ROUNDS = 20
LINE = re.compile(rb"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Mended:
    """A file before and after `count` fixes."""

    path: str
    before: bytes
    after: bytes
    count: int


def mended(
    path: str,
    data: bytes,
    findings: Sequence[Finding],
    rules: Sequence[Rule[Any]],
    safeties: Sequence[Safety],
) -> Mended | None:
    """The file when no fix of these safeties is left to apply; None when there was none.

    Where that is never reached, as few are left as in any round: a fix that does not help is not
    applied again and again.
    """
    after, count = data, 0
    patches = applicable(findings, safeties)
    best = len(patches), after, count
    for _ in range(ROUNDS):
        if not patches:
            break
        chosen = apart(patches)
        after = with_edits(after, [edit for patch in chosen for edit in patch.edits])
        count += len(chosen)
        patches = applicable(check(path, after, rules, screen=False).findings, safeties)
        best = min(best, (len(patches), after, count), key=itemgetter(0))
    _, after, count = best
    return Mended(path, data, after, count) if count else None


def applicable(findings: Sequence[Finding], safeties: Sequence[Safety]) -> list[Patch]:
    return [each.fix for each in findings if each.fix and each.fix.safety in safeties]


def apart(patches: Sequence[Patch]) -> list[Patch]:
    """The patches, in order, that touch nothing of one before them; the others wait."""
    chosen: list[Patch] = []
    taken: list[Edit] = []
    for patch in patches:
        if not any(touch(edit, other) for edit in patch.edits for other in taken):
            chosen.append(patch)
            taken += patch.edits
    return chosen


def touch(one: Edit, other: Edit) -> bool:
    """Edits that share a border touch: what both insert there has no order."""
    first, second = sorted((one, other))
    end = first.span.end_line, first.span.end_column
    return (second.span.line, second.span.column) <= end


def with_edits(data: bytes, edits: Sequence[Edit]) -> bytes:
    return edited(decode(data), edits).encode(encoding_of(data))


def diff(file: Mended) -> Iterator[bytes]:
    """The lines of a unified diff; only a line feed ends a line, as `patch` and `git` have it."""
    name = file.path.encode(errors="surrogateescape")
    before, after = (LINE.findall(text) for text in (file.before, file.after))
    for line in diff_bytes(unified_diff, before, after, name, name):
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
