"""The facts, compared with what real CUDA made of PyTorch's own samples (`testdata/evidence`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devlint.facts.effect import Agrees, Compares, Fact, Follows, Many, Pointwise
from devlint.facts.signature import OPERANDS, Mark, signature
from devlint.facts.table import fact

EVIDENCE = Path(__file__).parents[1] / "testdata" / "evidence"
RECORDS = sorted(path for path in EVIDENCE.glob("*.json") if "patterns" not in path.name)

_KEY = re.compile(
    r"(?P<place>input|args\[(?P<position>\d+)\]|kwargs\['(?P<name>\w+)'\])(?P<item>.*), "
    r"(?P<rank>.)-dim, on (?P<device>cpu|cuda), others (?P<others>.)-dim"
)
#: Functions of which a fact says less than is so, each with the reason.
UNLIKE = {
    "diff": "differences of order 0 join nothing",
    "nn.functional.linear": "a bias may be 0-dim if the input has one dimension",
    "nn.functional.cosine_embedding_loss": "a 0-dim target of CUDA is read as a condition",
    "nn.functional.gaussian_nll_loss": "a 0-dim variance may be on the CPU beside 0-dim inputs",
    "index_put": "a 0-dim value of any device may be put to the CPU",
    "einsum": "its samples have the operands first",
}


@dataclass(frozen=True, slots=True)
class Moved:
    """A sample with one operand elsewhere; `others`: the marks of its other operands."""

    mark: Mark
    is_scalar: bool
    is_on_cpu: bool
    others: tuple[Mark, ...]
    are_scalars: bool

    def is_accepted(self, known: Fact) -> bool:
        met = [mark for mark in self.others if mark in OPERANDS]
        if self.mark is Mark.STAYS_ON_CPU:
            return self.is_on_cpu
        if Mark.STAYS_ON_CPU in self.others:
            return not self.is_on_cpu
        if isinstance(known, Follows) or self.mark not in OPERANDS or not met:
            return True
        if isinstance(known, Agrees) and known.expands:
            return self.is_scalar and self.are_scalars
        if self.is_on_cpu:
            return self.is_scalar and is_exempt(known, self.mark)
        return self.are_scalars and all(is_exempt(known, mark) for mark in met)


def is_exempt(known: Fact, mark: Mark) -> bool:
    return isinstance(known, Pointwise) or mark is Mark.SCALAR_EXEMPT


def fact_of(name: str) -> Fact | None:
    """Of a function as PyTorch's samples call it, which may have a variant in its name."""
    parts = name.split(".")
    names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    found = (fact(home + each) for each in names for home in ("torch.", "torch.Tensor."))
    known = next((each for each in found if each), None)
    return known if isinstance(known, (Agrees, Compares, Follows, Many, Pointwise)) else None


def marks(known: Fact, places: set[str]) -> Iterator[tuple[str, Mark]]:
    parameters = signature(known.signature)
    for place in places:
        key = _KEY.match(f"{place}, 0-dim, on cpu, others 0-dim")
        assert key
        position = int(key["position"]) + 1 if key["position"] else 0
        found = parameters.keyword(key["name"]) if key["name"] else parameters.positional(position)
        yield place, found.mark if found else Mark.SETTING


def compared(name: str, outcomes: Mapping[str, Any]) -> Iterator[str]:
    """What differs between the fact of a function and what became of its samples."""
    known = fact_of(name)
    if known is None or name in UNLIKE:
        return
    keys = [key for key in map(_KEY.fullmatch, outcomes) if key]
    marked = dict(marks(known, {f"{key['place']}{key['item']}" for key in keys}))
    for key in keys:
        place = f"{key['place']}{key['item']}"
        others = tuple(mark for each, mark in marked.items() if each != place)
        is_scalar, are_scalars = key["rank"] == "0", key["others"] == "0"
        moved = Moved(marked[place], is_scalar, key["device"] == "cpu", others, are_scalars)
        found = {not each.startswith(("refused", "fault")) for each in outcomes[key.string]}
        if found != {moved.is_accepted(known)}:
            yield f"{name}: {key.string}: {outcomes[key.string]}, and the fact is {known}"


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_facts_say_what_cuda_does(path: Path) -> None:
    functions = json.loads(path.read_text())["operators"]
    assert sum(fact_of(name) is not None for name in functions) > 300
    assert [each for name, outcomes in functions.items() for each in compared(name, outcomes)] == []


def test_a_fact_that_cuda_contradicts_is_told() -> None:
    made_up = {"input, 0-dim, on cpu, others n-dim": ["refused"]}
    (told,) = compared("add", {**made_up, "args[0], n-dim, on cpu, others n-dim": ["refused"]})
    assert told.startswith("add: input, 0-dim, on cpu, others n-dim: ['refused']")
