"""What happens to optimizers."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.origin import Origin


@dataclass(frozen=True, slots=True, eq=False)
class SplitStep:
    """An optimizer steps though its state, made at `filled`, was left on `state` when its
    parameters were moved to `device`. A `state` that is like something is where a model was that
    the program was given."""

    node: ir.Node
    filled: Origin
    state: Device
    device: Device
    move: Origin


@dataclass(frozen=True, slots=True, eq=False)
class StaleStep:
    """An optimizer steps over parameters that the model it was `made` for has no more.

    `replaced` is where the model got others, `name` what was replaced; None: all of them.
    """

    node: ir.Node
    made: Origin
    replaced: Origin
    name: str | None


@dataclass(frozen=True, slots=True, eq=False)
class RawState:
    """State goes into an `optimizer` as the state dict has it, after `load` has put it where
    the parameters are."""

    node: ir.Node
    load: ir.Node
    optimizer: str
