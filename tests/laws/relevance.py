"""Relevance: what devlint leaves out as having nothing to do with devices changes no answer."""

from __future__ import annotations

from unittest.mock import patch

from devlint.interpret.core.relevance import Seeds

from .examples import Example, rules
from .law import Faults, of_each
from .product import findings, unlike


def faults(example: Example) -> Faults:
    filtered = findings(example, example.judgement(rules()))
    with patch.object(Seeds, "are_in", lambda *_: True):
        whole = findings(example, example.judgement(rules()))
    return [*unlike(filtered, whole, "with every function interpreted")]


LAW = of_each("relevance", faults)
