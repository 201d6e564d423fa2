"""The parameters of a fact, read from its signature."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache

_PARAMETER = re.compile(r"(\*?)([-?=~<+]?)([A-Za-z_]\w*)")


class Mark(Enum):
    """What a parameter is to the devices of a call; `effect` lists the spellings."""

    OPERAND = ""
    SETTING = "-"
    SCALAR_EXEMPT = "?"
    STAYS_ON_CPU = "="
    BOUND = "<"
    NUMBER = "+"
    FREE = "~"


#: The marks of tensors that have to agree with the others.
OPERANDS = frozenset({Mark.OPERAND, Mark.SCALAR_EXEMPT, Mark.BOUND, Mark.NUMBER})


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    mark: Mark
    is_sequence: bool

    @property
    def is_operand(self) -> bool:
        """It is a tensor that has to agree with the other operands."""
        return self.mark in OPERANDS

    @property
    def may_be_number(self) -> bool:
        """A number does as well as a tensor."""
        return self.mark in (Mark.BOUND, Mark.NUMBER)


@dataclass(frozen=True, slots=True)
class Signature:
    parameters: tuple[Parameter, ...]

    def positional(self, index: int) -> Parameter | None:
        """The parameter that takes the positional argument `index`, from 0.

        A method's receiver is argument 0. `None`: the signature names nothing there.
        """
        if index < len(self.parameters):
            return self.parameters[index]
        last = self.parameters[-1] if self.parameters else None
        return last if last and last.is_sequence else None

    def keyword(self, name: str) -> Parameter | None:
        """The parameter called `name`; `None` (no operand) when the signature omits it."""
        return next((found for found in self.parameters if found.name == name), None)

    def bind(self, positional: int, keywords: Iterable[str]) -> list[Parameter | None]:
        """The parameter of each argument: the positional ones first, then the keywords."""
        named = [self.keyword(name) for name in keywords]
        return [self.positional(index) for index in range(positional)] + named


@cache
def signature(text: str) -> Signature:
    """Raise `ValueError` when `text` is not a signature as `effect` describes them."""
    return Signature(tuple(map(_parameter, text.split())))


def _parameter(word: str) -> Parameter:
    match = _PARAMETER.fullmatch(word)
    if match is None:
        raise ValueError(f"not a parameter of a signature: {word!r}")
    star, mark, name = match.groups()
    return Parameter(name, Mark(mark), bool(star))
