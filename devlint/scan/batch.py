"""Batches of projects: what is scanned, written and repeated as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from devlint.cache.store import digest
from devlint.scan.unit import Unit

#: A sample of fewer batches says too little of how they differ.
LEAST = 8
#: A project takes as long as so many bytes, however small it is.
LIGHTEST = 1_000


@dataclass(frozen=True, slots=True)
class Batch:
    number: int
    units: tuple[Unit, ...]

    @property
    def name(self) -> str:
        """Names sort as batches do, and change with what is in them."""
        return f"{self.number:07}-{identity(self.units)[:16]}"

    @property
    def weight(self) -> int:
        return sum(max(each.weight, LIGHTEST) for each in self.units)


def identity(units: Iterable[Unit]) -> str:
    told = "\n".join(map(repr, units))
    return digest(told.encode(errors="surrogatepass"))


def batches(units: Sequence[Unit], size: int) -> Iterator[Batch]:
    """In the order of the units: a batch is full with about as many bytes of files."""
    held: list[Unit] = []
    number = weight = 0
    for unit in units:
        held.append(unit)
        weight += max(unit.weight, LIGHTEST)
        if weight >= size:
            yield Batch(number, tuple(held))
            held, weight, number = [], 0, number + 1
    if held:
        yield Batch(number, tuple(held))


def sample(batches: Sequence[Batch], projects: int) -> list[Batch]:
    """Some batches from anywhere among them, which have so many projects; none for none."""
    found: list[Batch] = []
    number = 0
    for batch in sorted(batches, key=lambda each: each.name[::-1]):
        if number >= projects and (len(found) >= LEAST or not projects):
            break
        found.append(batch)
        number += len(batch.units)
    return found
