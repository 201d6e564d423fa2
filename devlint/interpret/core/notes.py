"""What is noted on the way for what needs more of the program."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from devlint.event import Load, Save
from devlint.interpret.core.object_ids import Restored
from devlint.interpret.core.scopes import Frame
from devlint.lower import ir
from devlint.values.value import Origin, Value


@dataclass(slots=True, eq=False)
class Notes:
    """`datasets` are those of which others are made, by these.

    `loaders` are those whose code uses accelerators, `started` what the program had used when
    others ran, `worker` the uses of a worker process while what it runs is looked at.

    `settings` are the defaults of the command line's options. `has_copies`: a copy was started
    and not waited for.
    `stars` are the modules that names are imported from by `*`, `restored` what optimizers
    have loaded in each frame, by the object it is part of.
    `held_leaves` are where those leaves were made that optimizers hold.
    """

    saves: dict[ir.Node, Save] = field(default_factory=dict)
    loads: dict[ir.Node, Load] = field(default_factory=dict)
    chooses_device: bool = False
    names_accelerator: bool = False
    stars: list[str] = field(default_factory=list)
    restored: dict[tuple[Frame, Hashable], Restored] = field(default_factory=dict)
    datasets: dict[Hashable, tuple[Value, ...]] = field(default_factory=dict)
    loaders: dict[ir.Node, Any] = field(default_factory=dict)
    started: dict[ir.Node, Origin] = field(default_factory=dict)
    worker: list[Any] | None = None
    start_method: object = None
    settings: dict[str, object] = field(default_factory=dict)
    has_copies: bool = False
    held_leaves: set[ir.Node] = field(default_factory=set)
