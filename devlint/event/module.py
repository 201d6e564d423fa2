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
