"""What objects and devices are known by: the place they come from, or the whole they belong to."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.instance import Key


class Made(NamedTuple):
    """The key of an object made at a node inside a call. (Keys are tuples: they hash in C.)"""

    node: ir.Node
    path: tuple[ir.Node, ...]


class Loaded(NamedTuple):
    """The source of a device that a checkpoint was saved from."""

    load: ir.Node


class Restored(NamedTuple):
    """What the `load_state_dict` of an optimizer was given, on which device."""

    node: ir.Call
    device: Device


class Child(NamedTuple):
    """The key of what an unknown object holds under a name."""

    parent: Hashable
    key: Key


class Copied(NamedTuple):
    """The key of the copy of an object, made at a place."""

    parent: Hashable
    site: Hashable


def outermost(ref: Hashable) -> Hashable:
    """The object that is no part of another one that is known."""
    while isinstance(ref, Child):
        ref = ref.parent
    return ref


def maker(ref: Hashable) -> Hashable:
    """The node that has made an object, wherever that ran; another key is returned as it is."""
    return ref.node if isinstance(ref, Made) else ref


def display_kind(ref: Hashable) -> str | None:
    """The type of a container that was written out in view, or made by a call of that: `list`,
    `tuple` or `dict`; the columns that `zip(*rows)` gives are tuples, as is what `*rest` takes."""
    match maker(ref):
        case ir.Parameter(kind="*" | "**" as kind):
            return "tuple" if kind == "*" else "dict"
        case ("inner", _, made) if is_zip(maker(made)):
            return "tuple"
        case ir.Mapping():
            return "dict"
        case ir.Display(kind=kind) | ir.Comprehension(kind=kind):
            return kind if kind in ("list", "tuple", "dict") else None
        case ir.Call(func=ir.Name(id="list" | "tuple" | "dict" as kind)):
            return kind
    return None


def is_zip(node: Hashable) -> bool:
    return isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "zip"
