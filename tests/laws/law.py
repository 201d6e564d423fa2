"""What a law is: for each example the ways in which it breaks, or that it says nothing of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .examples import Example

#: One line for each way in which an example breaks a law; None where the law does not apply.
Faults: TypeAlias = "list[str] | None"
Outcomes: TypeAlias = Iterator[tuple[Example, Faults]]


@dataclass(frozen=True, slots=True)
class Law:
    """`outcomes` tries it on all examples at once, since some laws need another process."""

    name: str
    outcomes: Callable[[Sequence[Example]], Outcomes]


def of_each(name: str, faults: Callable[[Example], Faults]) -> Law:
    """A law that is tried on one example after the other; an exception is a fault as well."""

    def outcomes(examples: Sequence[Example]) -> Outcomes:
        for example in examples:
            yield example, guarded(faults, example)

    return Law(name, outcomes)


def guarded(faults: Callable[[Example], Faults], example: Example) -> Faults:
    try:
        return faults(example) if example.is_analysed else None
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def lost(example: Example, after: str) -> list[str]:
    """The findings of an example that another version of its text does not have."""
    missing = example.places - example.places_in(after)
    return [f"line {line}: lost {code}" for line, code in sorted(missing)]


def differences(example: Example, places: Counter[tuple[int, str]]) -> list[str]:
    """The findings of an example that are lost where there are others, and those that are new."""
    missing, new = example.places - places, places - example.places
    return [
        *(f"line {line}: lost {code}" for line, code in sorted(missing)),
        *(f"line {line}: added {code}" for line, code in sorted(new)),
    ]
