"""What was found in a file as JSON, and back, with a look at each part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from devlint.cache import findings
from devlint.cache.checked import number, one_of
from devlint.project.project import Uses
from devlint.run.check import STAGES, Checked
from devlint.run.elsewhere import Shown


def packed(one: Checked) -> list[object]:
    """Without the traceback: what has one is not kept."""
    return [
        [findings.packed(each) for each in one.findings],
        one.stage,
        {path: packed_shown(each) for path, each in one.elsewhere.items()},
        one.exhausted,
    ]


def unpacked(told: Any) -> Checked:
    """Raises `ValueError`, `TypeError` or `AttributeError` where it is nothing of the kind."""
    found, stage, elsewhere, exhausted = told
    return Checked(
        tuple(map(findings.unpacked, found)),
        one_of(stage, STAGES),
        {path: unpacked_shown(*each) for path, each in elsewhere.items()},
        number(exhausted),
    )


def packed_shown(shown: Shown) -> list[object]:
    uses = shown.uses
    return [[findings.packed(e) for e in shown.findings], sorted(uses.placed), sorted(uses.made)]


def unpacked_shown(found: Any, placed: Any, made: Any) -> Shown:
    uses = Uses(frozenset(map(number, placed)), frozenset(map(number, made)))
    return Shown(tuple(map(findings.unpacked, found)), uses)


def mentioned(one: Checked) -> Iterator[str]:
    """The absolute paths of files of which it names places."""
    shown = (each for known in one.elsewhere.values() for each in known.findings)
    for finding in (*one.findings, *shown):
        yield os.path.abspath(finding.path)
        yield from (os.path.abspath(each.path) for each in finding.related)
