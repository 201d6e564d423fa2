"""Whether this version of devlint is one that a file asks for."""

from __future__ import annotations

import re
from itertools import zip_longest
from operator import eq, ge, gt, le, lt, ne

COMPARISONS = {"==": eq, "!=": ne, "<=": le, ">=": ge, "<": lt, ">": gt}
PART = re.compile(r"\s*(==|!=|<=|>=|<|>)\s*(\d+(?:\.\d+)*)\s*")


def is_requirement(text: str) -> bool:
    return all(map(PART.fullmatch, text.split(",")))


def meets(version: str, requirement: str) -> bool:
    """Whether the numbers of `version` are within all parts of a requirement."""
    return all(
        COMPARISONS[sign](compared(version, bound), 0) for sign, bound in PART.findall(requirement)
    )


def compared(one: str, other: str) -> int:
    """-1, 0 or 1 as the one is before, at or after the other; what is not said is 0."""
    for here, there in zip_longest(numbers(one), numbers(other), fillvalue=0):
        if here != there:
            return 1 if here > there else -1
    return 0


def numbers(version: str) -> list[int]:
    """The release of a version: `0.2.1.dev3` is on the way to 0.2.1, and taken for it."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    return [int(each) for each in release[0].split(".")] if release else []
