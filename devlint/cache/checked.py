"""Looks at what was read: it may be anything. What it should not be raises `ValueError`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

Known = TypeVar("Known")
#: Lines and columns beyond this are in no file.
LARGEST = 10_000_000


def text(told: Any) -> str:
    if type(told) is not str:
        raise ValueError(f"{told} is no text")
    return told


def number(told: Any) -> int:
    if type(told) is not int or not 0 <= told <= LARGEST:
        raise ValueError(f"{told} is no place in a text")
    return told


def truth(told: Any) -> bool:
    if type(told) is not bool:
        raise ValueError(f"{told} is not true or false")
    return told


def one_of(told: Any, known: Sequence[Known]) -> Known:
    if told not in known:
        raise ValueError(f"{told} is none of {known}")
    return known[known.index(told)]
