"""What is noted on the way for what needs more of the program."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from devlint.event import DiscardedMove, IgnoredChoice, Load, Save, Unplaced
from devlint.interpret.core.object_ids import Restored
from devlint.interpret.core.scopes import Frame
from devlint.lower import ir
from devlint.values.value import Value

if TYPE_CHECKING:
    from devlint.analyses.device_indices import Portability


@dataclass(slots=True, eq=False)
class Notes:
    """`datasets` are those of which others are made, by these.

    `fallbacks` are devices for which the program takes the CPU if it has to,
    `defaulted` the calls that leave the accelerator to a default.
    `stars` are the modules that names are imported from by `*`, `discards` moves of what may be a
    tensor, `restored` what optimizers have loaded in each frame, by the object it is part of.
    `held_leaves` are where those leaves were made that optimizers hold. `arrays` are the ways that
    lead to where arrays are made of what is on the device of an argument, `meetings` of tensors
    that nobody placed. `givings` are the calls of models out of view, by the models.
    """

    saves: dict[ir.Node, Save] = field(default_factory=dict)
    loads: dict[ir.Node, Load] = field(default_factory=dict)
    chooses_device: bool = False
    names_accelerator: bool = False
    stars: list[str] = field(default_factory=list)
    discards: list[tuple[Hashable, DiscardedMove]] = field(default_factory=list)
    restored: dict[tuple[Frame, Hashable], Restored] = field(default_factory=dict)
    datasets: dict[Hashable, tuple[Value, ...]] = field(default_factory=dict)
    held_leaves: set[ir.Node] = field(default_factory=set)
    fallbacks: dict[Hashable, Any] = field(default_factory=dict)
    portability: Portability | None = None
    defaulted: list[IgnoredChoice] = field(default_factory=list)
    arrays: dict[ir.Parameter, list[tuple[ir.Node, ...]]] = field(default_factory=dict)
    meetings: list[tuple[Unplaced, tuple[ir.Node, ...]]] = field(default_factory=list)
    givings: dict[Hashable, list[Any]] = field(default_factory=dict)
