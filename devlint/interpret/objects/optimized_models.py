"""Where the models are whose parameters an optimizer has."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import maker, outermost
from devlint.lower import ir
from devlint.queries.dotted_names import path
from devlint.queries.name_conventions import names_device
from devlint.values.device import ON_CPU, Device, like
from devlint.values.origin import Origin
from devlint.values.value import Kind, Value


def whereabouts(machine: Run, whole: Hashable) -> tuple[Device, Origin | None]:
    """Where a module is; one made in view that nothing in view has moved is on the CPU."""
    device, origin = module_state.module_device(machine, Value(Kind.MODULE, ref=whole))
    if device.is_known:
        return device, origin
    whole = outermost(whole)
    made = maker(whole)
    instance = machine.instance(whole)
    if instance.move is None and isinstance(made, ir.Call) and not is_placed(made):
        return ON_CPU, Origin(made, "made here")
    return device, origin


def is_placed(call: ir.Call) -> bool:
    """Whether a call may have been told a device."""
    given = [*call.args, *(value for _, value in call.keywords)]
    if any(name is None or names_device(name) for name, _ in call.keywords):
        return True
    return any(any(map(names_device, path(each))) or isinstance(each, ir.Starred) for each in given)


def stays(state: Device, whole: Hashable, device: Device) -> bool:
    """Whether state is not where the parameters are now, as far as is known: what was made before
    the program moved a model that it was given is where that was."""
    is_moved = device.may_accelerate and not device.likes
    return state.excludes(device) or (is_moved and state == unmoved(whole))


def is_given(whole: Hashable) -> bool:
    """Whether a model is an argument, or an object's: what code out of view makes may be placed."""
    return not isinstance(maker(outermost(whole)), ir.Call)


def unmoved(whole: Hashable) -> Device:
    """Where a model is that nothing in view has moved."""
    return like(whole, "the model")
