"""What happens to parameters that modules share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from devlint.lower import ir


@dataclass(frozen=True, slots=True, eq=False)
class TieLost:
    """Two modules hold parameters of their own that are meant, or seem, to be one.

    `how`: made of the other's data (`copied`), by `load_state_dict(assign=True)` (`assigned`), or
    by `to_empty` from `meta` (`emptied`). `tie` is where they were tied, `use` where they compute.
    """

    node: ir.Node
    how: Literal["copied", "assigned", "emptied"]
    tie: ir.Node | None
    use: ir.Node | None
    name: str
    other: str
