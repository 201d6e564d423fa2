"""What is saved and loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.origin import Origin

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
    """`device` is where what is saved is; `path` a key for where to, None when not known.

    `states` are the state dicts of modules on an accelerator that are all that is known there,
    `scope` the class, or else the function, that saves.
    """

    node: ir.Node
    operation: str
    device: Device
    origin: Origin | None
    path: File | None
    is_whole_module: bool
    states: tuple[ir.Expression, ...]
    scope: ir.Node | None


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """`use` is where what was loaded reaches a call, a move or a module, which is `into` a device.

    `is_reload`: the same run wrote the file, or trained before. `can_map`: `map_location=` can be
    added to the call. `device` is how the program writes its device there, if it has one, and
    `scope` the class, or else the function, that loads. `is_published`: the file comes from an
    address. `is_equipped`: it is only loaded where there is an accelerator.
    """

    node: ir.Node
    operation: str
    path: File | None
    maps: bool
    use: ir.Node | None
    into: Device
    is_reload: bool
    can_map: bool
    device: str | None
    scope: ir.Node | None
    is_published: bool
    is_equipped: bool


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoints:
    """All saves and loads of a program, once, after its other events.

    `chooses_device`: the program chooses its device at run time. `names_accelerator`: it moves
    something to an accelerator by name. `are_read`: others near it in its project may load what it
    saves without saying to where, or who does is not known. `is_of_project`: all of the project is
    looked at. `is_bound`: that is for machines with an accelerator.
    """

    saves: tuple[Save, ...]
    loads: tuple[Load, ...]
    chooses_device: bool
    names_accelerator: bool
    are_read: bool = True
    is_of_project: bool = False
    is_bound: bool = False
