"""Device events: what interpretation reduces a program to, and what rules look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.instance import Attach
from devlint.values.value import Origin, Value


@dataclass(frozen=True, slots=True, eq=False)
class Reveal:
    """A `reveal_device(x)` call, the specs' window into the analysis."""

    node: ir.Node
    device: Device


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """`is_exempt`: legal here on any device, as a 0-dim CPU tensor is in pointwise arithmetic."""

    node: ir.Expression
    name: str
    value: Value
    is_exempt: bool = False

    def may_meet(self, other: Operand) -> bool:
        """Whether some run accepts both in one operation."""
        for guest in (self, other):
            if guest.is_exempt and not guest.value.device.may_accelerate:
                return True
        return not self.value.device.excludes(other.value.device)


@dataclass(frozen=True, slots=True, eq=False)
class Combine:
    """An operation whose operands have to share a device."""

    node: ir.Node
    operation: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A random draw on `device`, from a generator that has to be on the same one.

    `layer` is the module class whose method draws, if one does.
    """

    node: ir.Node
    operation: str
    generator: Operand
    device: Device
    origin: Origin | None
    layer: str | None


@dataclass(frozen=True, slots=True, eq=False)
class MaskedInput:
    """A tensor drawn on the CPU by a layer from its generator meets a value of unknown device
    that derives from the layer's input."""

    node: ir.Node
    draw: Sample
    partner: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """A module is used while `attaches` have not been moved with it."""

    node: ir.Node
    attaches: tuple[Attach, ...]


#: How the `text` of a path that is written out starts.
LITERAL = "Constant("


class File(Protocol):
    """A path: equal to another of the same value, and by `text` the same expression elsewhere."""

    @property
    def text(self) -> str: ...


def may_be_one_file(one: File | None, other: File | None) -> bool:
    """Only two literal paths are known to differ."""
    if one is None or other is None or one == other:
        return True
    are_literal = one.text.startswith(LITERAL) and other.text.startswith(LITERAL)
    return one.text == other.text or not are_literal


@dataclass(frozen=True, slots=True, eq=False)
class Save:
    """`device` is where what is saved is; `path` a key for where to, None when not known."""

    node: ir.Node
    operation: str
    device: Device
    origin: Origin | None
    path: File | None
    is_whole_module: bool


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """`use` is where what was loaded reaches a call, a move or a module, which is `into` a device.

    `is_reload`: the same run wrote the file, or trained before.
    """

    node: ir.Node
    operation: str
    path: File | None
    maps: bool
    use: ir.Node | None
    into: Device
    is_reload: bool


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoints:
    """All saves and loads of a program, once, after its other events.

    `chooses_device`: the program chooses its device at run time. `names_accelerator`: it moves
    something to an accelerator by name.
    """

    saves: tuple[Save, ...]
    loads: tuple[Load, ...]
    chooses_device: bool
    names_accelerator: bool


@dataclass(frozen=True, slots=True, eq=False)
class Exhausted:
    """How many calls were not followed because a budget was spent; the last event of a program."""

    calls: int


Event = Reveal | Combine | Sample | MaskedInput | Use | Checkpoints | Exhausted
