"""How precise numbers are, where it is known."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.lower import ir
from devlint.values.tags import Tag


@dataclass(frozen=True, slots=True, eq=False)
class Double(Tag):
    """Of a value that holds float64 data, made by a call of NumPy."""

    call: ir.Call
