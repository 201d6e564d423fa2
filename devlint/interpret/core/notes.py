"""What is noted on the way for what needs more of the program."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from devlint.event import Load, Save
from devlint.interpret.core.object_ids import Restored
from devlint.lower import ir
from devlint.values.value import Value


@dataclass(slots=True, eq=False)
class Notes:
    """`datasets` are those of which others are made, by these.

    `stars` are the modules that names are imported from by `*`, `restored` what optimizers
    have loaded, by the object it is part of.
    """

    saves: dict[ir.Node, Save] = field(default_factory=dict)
    loads: dict[ir.Node, Load] = field(default_factory=dict)
    chooses_device: bool = False
    names_accelerator: bool = False
    stars: list[str] = field(default_factory=list)
    restored: dict[Hashable, Restored] = field(default_factory=dict)
    datasets: dict[Hashable, tuple[Value, ...]] = field(default_factory=dict)
