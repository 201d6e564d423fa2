"""What optimizers go through: the groups of their parameters."""

from __future__ import annotations

from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.objects import optimizers
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.values.device import like
from devlint.values.dimensions import ARRAY
from devlint.values.instance import ANY, Instance, ItemKey
from devlint.values.value import Kind, Value

#: What a group has its parameters under.
PARAMETERS = "params"


def groups(machine: Run, whole: Value) -> Value | None:
    """The groups of parameters that an optimizer goes through; None where nothing is known of
    them. Those of a class in view are where its user has put them; those of PyTorch's own that
    hold the parameters of modules in view are where these are by now."""
    key, instance = Child(whole.ref, "param_groups"), machine.instance(whole.ref)
    if isinstance(instance.type, ClassInfo) and instance.type.is_optimizer:
        return grouped(machine, key, Value(Kind.CONTAINER, like(key, "the parameters"), ARRAY))
    held = instance.tag(optimizers.Held)
    modules = [Value(Kind.MODULE, ref=each) for each in held.parameters] if held else []
    places = [module_state.module_device(machine, each) for each in modules]
    if not places or any(device != places[0][0] for device, _ in places):
        return None
    device, origin = places[0]
    if not device.is_known:
        return None
    return grouped(machine, key, Value(Kind.CONTAINER, device, ARRAY, origin=origin))


def grouped(machine: Run, key: Child, parameters: Value) -> Value:
    held = Instance(items={ItemKey(PARAMETERS): parameters})
    group = machine.put(Child(key, ANY), held)
    return machine.put(key, Instance(items={ANY: group}), Kind.CONTAINER)


def may_move(machine: Run, node: ir.Attribute) -> bool:
    """Whether what asks an optimizer for an attribute may move what it holds: its state, or the
    groups where a function takes the parameters out of them, rather than a learning rate."""
    scope = machine.function or machine.module
    is_of_parameters = node.name == "param_groups" and machine.once(takes_parameters, scope)
    return node.name == "state" or is_of_parameters


def takes_parameters(scope: ir.Node) -> bool:
    return any(isinstance(each, ir.Constant) and each.value == PARAMETERS for each in walk(scope))
