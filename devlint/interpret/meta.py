"""Modules whose memory nobody has written to since they left the `meta` device."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from devlint.event import EmptyUse
from devlint.interpret import buffers, modules
from devlint.interpret.arguments import Arguments
from devlint.interpret.machine import Machine
from devlint.interpret.module_methods import FLUENT
from devlint.interpret.naming import names_use
from devlint.lower import ir
from devlint.torch_facts.effect import Moves
from devlint.torch_facts.table import method_fact
from devlint.values.device import META, UNKNOWN
from devlint.values.value import Kind, Origin, Value

#: What is empty: all there is, all but the parameters, or what no state dict has.
Extent = Literal["all", "buffers", "hidden"]
#: The key of what is empty in a module; its device is unknown once something may have filled it.
EMPTY = ("empty",)
#: Methods that read or write parameters, or all that a state dict has.
REACHES: dict[str, Extent] = {
    "parameters": "buffers",
    "named_parameters": "buffers",
    "state_dict": "hidden",
    "load_state_dict": "hidden",
}


def emptied(machine: Machine, module: Value, node: ir.Call, arguments: Arguments) -> None:
    """`to_empty` leaves everything as the memory happens to be."""
    recurses = arguments.get(None, "recurse")
    if recurses is None and not arguments.is_open:
        leave(machine, module, "all", Origin(node, "emptied here", machine.frame.path))


def leave(machine: Machine, module: Value, extent: Extent, origin: Origin) -> None:
    if module.ref is not None:
        machine.emptied.add(module.ref)
        item = Value(Kind.TENSOR, META, detail=extent, origin=origin)
        machine.store(module.ref, machine.instance(module.ref).with_item(EMPTY, item))


def empty(machine: Machine, module: Value) -> Value | None:
    if module.ref not in machine.emptied:
        return None
    item = machine.instance(module.ref).items.get(EMPTY)
    return item if item is not None and item.device == META else None


def filled(machine: Machine, module: Value, extent: Extent | None = None) -> None:
    """Something may have written to a module; what is of `extent` it has not reached."""
    item = empty(machine, module)
    if item is None or item.origin is None:
        return
    if extent is None:
        item = replace(item, device=UNKNOWN)
    elif item.detail != "hidden":
        item = replace(item, detail=extent)
    machine.store(module.ref, machine.instance(module.ref).with_item(EMPTY, item))


def called(machine: Machine, module: Value, name: str) -> None:
    """A method of the module runs."""
    is_kept = (name in FLUENT and name != "apply") or names_use(name) or name == "to_empty"
    if not is_kept and not isinstance(method_fact(name), Moves):
        filled(machine, module, REACHES.get(name))


def assigned(machine: Machine, node: ir.Call, module: Value, arguments: Arguments) -> None:
    """`load_state_dict(assign=True)` puts tensors in the place of those on `meta`."""
    given = arguments.get(2, "assign")
    if given is None or given.value.detail is not True:
        return
    device, _ = modules.module_device(machine, module)
    modules.place(machine, module, UNKNOWN, all_of_it=True)
    if device == META:
        leave(machine, module, "hidden", Origin(node, "loaded here", machine.frame.path))


def used(machine: Machine, module: Value, node: ir.Node) -> None:
    """A module computes with what nothing has filled."""
    item = empty(machine, module)
    if item is None or item.origin is None:
        return
    found = tuple(buffers.registered(machine, module, is_hidden=item.detail == "hidden"))
    if found or item.detail == "all":
        machine.emit(EmptyUse(node, item.origin, found, has_parameters=item.detail != "all"))
