"""What happens to copies of one tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from devlint.lower import ir


@dataclass(frozen=True, slots=True, eq=False)
class TwinUse:
    """Of two items of the container `moved`, which are one tensor called `name` on the CPU and
    two elsewhere, one is used in a way that tells."""

    node: ir.Node
    moved: ir.Node
    name: str
    how: Literal["changed", "compared", "trained"]
