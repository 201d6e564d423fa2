"""How many dimensions the results of functions have, as facts say it."""

from __future__ import annotations

from enum import Enum


class Rank(Enum):
    """How many dimensions the result has."""

    SAME = "as many as the operand that has most"
    KEPT = "the same, and one at least"
    MORE = "one more"
    LESS = "one less"
    SQUEEZED = "one less or as many where a `dim` is given, else not known"
    PRODUCT = "as the product of matrices or vectors"
    REDUCED = "none unless a `dim` is given, else as many less; as many with `keepdim`"
    SCALAR = "none"
    LOSS = "none unless `reduction` says otherwise"
    ARRAY = "one at least"
    MATRIX = "two at least"
    EQUATION = "as the output of the equation that comes first has"
    UNKNOWN = "not known"


class Size(Enum):
    """What the first argument of a factory says about the number of dimensions."""

    SIZE = "a size: 0-dim only for an empty tuple"
    DATA = "data: 0-dim for a number; a tensor keeps its rank and its device"
    SCALAR = "always 0-dim"
    ARRAY = "never 0-dim"
    MATRIX = "always 2-dim"
    LAST = "the last of the arguments is a size"
    LIKE = "data: as many as the array has, which is no number"
    UNKNOWN = "not known"
