"""How precise numbers are, where it is known."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.lower import ir


@dataclass(frozen=True, slots=True, eq=False)
class Double:
    """The detail of a value that holds float64 data, made by a call of NumPy."""

    call: ir.Call
