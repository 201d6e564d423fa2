"""Log: events are appended, never taken back or replaced."""

from __future__ import annotations

from .examples import Example, rules
from .law import Faults, of_each
from .observed import observed


def faults(example: Example) -> Faults:
    return sorted(set(observed(example, rules()).rewrites))


LAW = of_each("log", faults)
