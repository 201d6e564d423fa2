"""What a scan is going to cost, from a sample of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from devlint.scan.mark import Mark


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds of a processor, and how far they may be off, at odds of twenty to one."""

    seconds: float
    spread: float

    def __str__(self) -> str:
        low = max(self.seconds - self.spread, 0)
        return (
            f"{duration(self.seconds)} ({duration(low)} to {duration(self.seconds + self.spread)})"
        )


def estimate(sample: Sequence[Mark], weight: int) -> Estimate:
    """What is to come of batches that weigh so much, as those of the sample did."""
    known = sum(each.weight for each in sample) or 1
    rate = sum(each.seconds for each in sample) / known
    squares = sum((each.seconds - rate * each.weight) ** 2 for each in sample)
    number = len(sample)
    if number < 2:
        return Estimate(rate * weight, rate * weight)
    error = sqrt(squares * number / (number - 1)) / known
    # About what Student's distribution has.
    return Estimate(rate * weight, (2 + 3 / (number - 1)) * error * weight)


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
