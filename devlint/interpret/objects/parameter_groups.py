"""What optimizers go through: the groups of their parameters."""

from __future__ import annotations

from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.objects import optimizers
from devlint.values.device import like
from devlint.values.dimensions import ARRAY
from devlint.values.instance import ANY, Instance, ItemKey
from devlint.values.value import Kind, Value


def is_in_view(machine: Run, whole: Value) -> bool:
    """Whether it is an object of a class in view that derives from PyTorch's optimizers."""
    type_ = machine.instance(whole.ref).type
    return isinstance(type_, ClassInfo) and type_.is_optimizer


def groups(machine: Run, whole: Value) -> Value:
    """The groups of parameters of such an object: those are where its user has put them."""
    key = Child(whole.ref, "param_groups")
    return grouped(machine, key, Value(Kind.CONTAINER, like(key, "the parameters"), ARRAY))


def known_groups(machine: Run, whole: Value) -> Value | None:
    """The groups of one of PyTorch's optimizers: of the parameters of modules in view, where those
    are by now."""
    held = machine.instance(whole.ref).tag(optimizers.Held)
    modules = [Value(Kind.MODULE, ref=each) for each in held.parameters] if held else []
    places = [module_state.module_device(machine, each) for each in modules]
    if not places or any(device != places[0][0] for device, _ in places):
        return None
    device, origin = places[0]
    if not device.is_known:
        return None
    parameters = Value(Kind.CONTAINER, device, ARRAY, origin=origin)
    return grouped(machine, Child(whole.ref, "param_groups"), parameters)


def grouped(machine: Run, key: Child, parameters: Value) -> Value:
    held = Instance(items={ItemKey("params"): parameters})
    group = machine.put(Child(key, ANY), held)
    return machine.put(key, Instance(items={ANY: group}), Kind.CONTAINER)
