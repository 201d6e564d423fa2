"""The targets of fuzzing survive what it starts from, and that with some bytes changed."""

from __future__ import annotations

import random

import pytest

from tests.fuzzing.__main__ import NAMES
from tests.fuzzing.seeds import seeds
from tests.fuzzing.targets import TARGETS

#: Of each seed, and how many bytes of one are changed at most.
MUTANTS, MOST = 3, 6


def mutant(data: bytes, chance: random.Random) -> bytes:
    """Bytes are changed, removed or doubled."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, MOST)):
        at = chance.randrange(len(changed) + 1)
        changed[at : at + chance.choice((0, 0, 1, 4))] = chance.choice(
            (
                bytes([chance.randrange(256)]),
                b"",
                changed[at : at + 9] * 2,
                b"\0",
                b"\xff\xfe",
                b"[",
            )
        )
    return bytes(changed)


@pytest.mark.parametrize("name", NAMES)
def test_a_target_survives(name: str) -> None:
    chance, tried = random.Random(name), 0
    for data in seeds(name)[:12]:
        for each in (data, *(mutant(data, chance) for _ in range(MUTANTS))):
            TARGETS[name](each)
            tried += 1
    assert tried > MUTANTS


def test_every_target_has_a_name() -> None:
    assert [*TARGETS] == NAMES
