"""Sources: what kind of thing put a value where it is."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from devlint.lower import ir
from devlint.values.device import Device


@dataclass(frozen=True, slots=True, eq=False)
class Factory:
    """A tensor made by a call, of the function `name`, that was given no device.

    `takes_device`: the function would have taken one.
    """

    call: ir.Call
    name: str
    takes_device: bool


@dataclass(frozen=True, slots=True, eq=False)
class ByParameter:
    """A tensor made on the CPU because a call left a device to the default of a parameter."""

    call: ir.Call
    parameter: ir.Parameter


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A tensor that a call took to the CPU from where it was, `before`."""

    call: ir.Call
    before: Device


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Data as a loader, a tokenizer or a transform gives it: `giver` says which.

    `device` is how the program writes its device there, if it has one. `is_movable`: what is given
    can be moved; else only the tensors that are its attributes. `is_stacked`: what of it can be
    moved is a tensor.
    """

    giver: str
    device: str | None
    is_movable: bool = True
    is_stacked: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PlainAttribute:
    """A tensor that a module keeps without registering it: moves of the module leave it behind.

    `whole` is the key of the module. `is_given`: a caller out of view gives it, wherever that has
    it. `is_tensor`: it is one, rather than an object that holds some.
    """

    name: str
    assignment: ir.Node
    whole: Hashable
    is_given: bool = False
    is_tensor: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Alias:
    """A buffer, `buffer`, that its module, `whole`, also keeps as a plain attribute: moves of the
    module replace the buffer, and leave this one behind.

    `is_placed`: where it was is known.
    """

    name: str
    buffer: str
    whole: Hashable
    assignment: ir.Node
    is_placed: bool


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """Of the move of a part: it is what holds it that was moved."""


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """What a module out of view gives: tensors where the module is, or plain Python values."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The state of a module as it was; `copy` is the call that copied it, if one did."""

    copy: ir.Node | None


@dataclass(frozen=True, slots=True, eq=False)
class Unmoved:
    """The state of a module that an object which is no module holds and, in view, never moves,
    though it moves something else."""


@dataclass(frozen=True, slots=True, eq=False)
class RestoredState:
    """A part of the state that an object is given to put back, as it was loaded."""


Source = (
    Factory
    | ByParameter
    | Taken
    | Batch
    | PlainAttribute
    | Alias
    | Snapshot
    | Along
    | Output
    | Unmoved
    | RestoredState
)


def is_stacked(source: Source | None) -> bool:
    """Whether a loader has made a tensor of it, if it can be moved at all."""
    return isinstance(source, Batch) and source.is_stacked
