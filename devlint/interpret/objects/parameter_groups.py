"""What the methods of optimizers in view go through."""

from __future__ import annotations

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo
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
    parameters = Value(Kind.CONTAINER, like(key, "the parameters"), ARRAY)
    held = Instance(items={ItemKey("params"): parameters})
    group = machine.put(Child(key, ANY), held)
    return machine.put(key, Instance(items={ANY: group}), Kind.CONTAINER)
