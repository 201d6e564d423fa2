"""Modules whose memory nobody has written to since they left the `meta` device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from devlint.analyses import module_flaws
from devlint.analyses.module_flaws import Flaw
from devlint.event import EmptyUse
from devlint.interpret.core import module_state, registered_buffers
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.device import META, UNKNOWN
from devlint.values.value import Origin, Value

#: What is empty: all there is, all but the parameters, or what no state dict has.
Extent = Literal["all", "buffers", "hidden"]


@dataclass(frozen=True, slots=True)
class Empty(Flaw):
    """Of a module of which something is empty."""

    extent: Extent


#: Methods that read or write parameters, or all that a state dict has.
REACHES: dict[str, Extent] = {
    "parameters": "buffers",
    "named_parameters": "buffers",
    "state_dict": "hidden",
    "load_state_dict": "hidden",
}


def emptied(machine: Run, module: Value, node: ir.Call, arguments: Arguments) -> None:
    """`to_empty` leaves everything as the memory happens to be."""
    recurses = arguments.get(None, "recurse")
    if recurses is None and not arguments.is_open:
        leave(machine, module, "all", Origin(node, "emptied here", machine.frame.path))


def leave(machine: Run, module: Value, extent: Extent, origin: Origin) -> None:
    module_flaws.put(machine, module, Empty(origin, extent))


def filled(machine: Run, module: Value, extent: Extent | None = None) -> None:
    """Something may have written to a module; what is of `extent` it has not reached."""
    flaw = module_flaws.get(machine, module, Empty)
    if extent is None:
        module_flaws.remove(machine, module, Empty)
    elif flaw is not None and flaw.extent != "hidden":
        leave(machine, module, extent, flaw.origin)


def called(machine: Run, module: Value, name: str) -> None:
    """A method of the module runs."""
    if not module_flaws.leaves_alone(name):
        filled(machine, module, REACHES.get(name))


def assigned(machine: Run, node: ir.Call, module: Value) -> None:
    """`load_state_dict(assign=True)` puts tensors in the place of those on `meta`."""
    device, _ = module_state.module_device(machine, module)
    module_state.place(machine, module, UNKNOWN, all_of_it=True)
    if device == META:
        leave(machine, module, "hidden", Origin(node, "loaded here", machine.frame.path))


def used(machine: Run, module: Value, node: ir.Node) -> None:
    """A module computes with what nothing has filled."""
    flaw = module_flaws.get(machine, module, Empty)
    if flaw is None:
        return
    is_hidden, is_all = flaw.extent == "hidden", flaw.extent == "all"
    found = tuple(registered_buffers.registered(machine, module, is_hidden=is_hidden))
    if found or is_all:
        machine.emit(EmptyUse(node, flaw.origin, found, has_parameters=not is_all))
