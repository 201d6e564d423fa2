"""What is presumed of the modules that an object holds, and never moves."""

from __future__ import annotations

from typing import NamedTuple

from devlint.event import Operand
from devlint.rule.presumption import Presumption
from devlint.values.source import Unmoved


class Presumed(NamedTuple):
    """What a finding presumes, and how its message goes on to say so."""

    presumes: tuple[Presumption, ...] = ()
    clause: str = ""


def unless_moved(*operands: Operand) -> Presumed:
    """What a finding presumes if one of its operands is left where such an object has made it."""
    left = next((each for each in operands if isinstance(each.value.source, Unmoved)), None)
    if left is None:
        return Presumed()
    return Presumed((Presumption.SELF_MOVING,), f", unless others move `{left.name}`")
