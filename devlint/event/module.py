"""What happens to modules."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.lower import ir
from devlint.values.instance import Attach


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """A module is used while `attaches` have not been moved with it."""

    node: ir.Node
    attaches: tuple[Attach, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Facsimile:
    """What `method` of a module gives for a copy of it was built on the CPU at `node`."""

    node: ir.Node
    method: str
