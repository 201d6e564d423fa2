"""What is presumed of what somebody out of view may move."""

from __future__ import annotations

from typing import NamedTuple

from devlint.event import Operand
from devlint.rule.presumption import Presumption
from devlint.values.source import Output, Taken, Unmoved


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


def unless_copied(*operands: Operand) -> Presumed:
    """What a finding presumes of what a model out of view gives, if another operand was taken to
    the CPU, as if to meet it there."""
    given = next((each for each in operands if isinstance(each.value.source, Output)), None)
    if given is None or not any(isinstance(each.value.source, Taken) for each in operands):
        return Presumed()
    clause = f", unless what gives `{given.name}` takes it to the CPU"
    return Presumed((Presumption.PLAIN_MODEL,), clause)
