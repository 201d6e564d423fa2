"""Models that a library loads and, where it is asked to, places by itself."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.effect import Model
from devlint.interpret.core import module_state
from devlint.interpret.core.call import Argument, Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import factories, transfers
from devlint.values.device import UNKNOWN, Device, On
from devlint.values.instance import Instance, ItemKey
from devlint.values.origin import Origin
from devlint.values.value import NOTHING, Kind, Value, as_device


@dataclass(frozen=True, slots=True)
class PretrainedModel(Model):
    """`placed_by`: arguments by which the library places the module, and its inputs, by itself."""

    placed_by: tuple[str, ...] = ()


def made(machine: Run, fact: PretrainedModel, call: Call) -> Value:
    loaded = loaded_onto(machine, fact, call)
    if loaded is None:
        return factories.model(machine, fact, call)
    device, origin = loaded
    if not device.is_known:
        return module_state.placed(machine, machine.make(call.node, Instance()))
    instance = Instance(fact, holds_state=True, device=device, origin=origin)
    return machine.make(call.node, instance, Kind.MODULE)


def loaded_onto(machine: Run, fact: PretrainedModel, call: Call) -> tuple[Device, Origin] | None:
    """Where a library puts a module that it loads; None where it leaves that to the program.

    With a single device in `device_map` the module is moved there (Accelerate 1.15); with several,
    or other arguments that place it, hooks may move its inputs.
    """
    arguments = call.arguments
    given = arguments.keywords.keys() & set(fact.placed_by)
    if not given and not arguments.is_open:
        return None
    is_mapped = given == {"device_map"} and not arguments.is_open
    device = single(machine, arguments.keywords["device_map"]) if is_mapped else UNKNOWN
    return device, Origin(call.node, f"loaded onto {device.told} here")


def single(machine: Run, given: Argument) -> Device:
    """The device that a `device_map` consists of; a name alone may stand for `auto`."""
    items = machine.instance(given.value.ref).items
    if given.value.kind is Kind.CONTAINER:
        only = items.get(ItemKey(""), NOTHING) if len(items) == 1 else NOTHING
        return transfers.device_named(Argument(given.node, only)) or UNKNOWN
    device = as_device(given.value) or UNKNOWN
    is_literal = all(isinstance(atom, On) for atom in device.atoms)
    return device if is_literal or device.arms is not None else UNKNOWN
