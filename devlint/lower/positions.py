"""Where nodes stand whose syntax is not kept: in which of several texts, and where in it."""

from __future__ import annotations

from typing import NamedTuple

from devlint.lower import ir

#: How many bits a line or an offset takes.
BITS = 32
MASK = (1 << BITS) - 1


class Position(NamedTuple):
    """Lines are counted from one, offsets are those in bytes of UTF-8 from their starts."""

    line: int
    offset: int
    end_line: int
    end_offset: int

    def packed(self, number: int) -> int:
        """It in the text of a number as one integer, which weighs little and holds nothing that
        the garbage collector would have to follow."""
        for part in self:
            number = number << BITS | part
        return number


def unpacked(at: int) -> Position:
    return Position(*(at >> shift * BITS & MASK for shift in (3, 2, 1, 0)))


def number_of(node: ir.Node) -> int | None:
    """The number of the text that a node is of; None where its syntax is kept."""
    return node.at >> len(Position._fields) * BITS if isinstance(node.at, int) else None
