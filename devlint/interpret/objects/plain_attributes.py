"""Plain attributes: tensors that modules keep without registering them."""

from __future__ import annotations

from dataclasses import replace

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.module_state import PartOf, Registered, parameter
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.core.signals import StateReplaced
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.annotations import is_tensor_type
from devlint.queries.name_conventions import is_self
from devlint.values.origin import Origin
from devlint.values.source import Alias, Factory, PlainAttribute
from devlint.values.value import PARAMETER, Kind, Value

MODULE = "torch.nn.Module"
#: What a parameter or buffer may be replaced by.
HELD = (Kind.TENSOR, Kind.UNKNOWN)


def keep(run: Run, whole: Value, name: str, value: Value, site: ir.Node) -> Value:
    """A value as a module keeps it that assigns it to its own attribute."""
    is_own = value.kind in HELD and value.device.is_known and not isinstance(value.source, Alias)
    if is_own and replaces_state(run, whole, name):
        run.publish(StateReplaced(site, whole, name, value))
        return registered(parameter(value))
    receiver = run.frame.receiver
    buffer = value.tag(Registered)
    if value.payload == PARAMETER and buffer is None:
        return registered(value)
    if whole.kind is not Kind.MODULE or receiver is None or receiver.ref != whole.ref:
        return value
    if value.kind is Kind.CONTAINER:
        keep_registered(run, whole, value)
    if not any(each.name == "__init__" for each in run.activations):
        return value
    if buffer is not None and buffer.whole == whole.ref and buffer.name != name:
        return alias(value, buffer, name, site)
    is_given = is_argument(value)
    if not is_given and not is_made(value):
        return value
    if isinstance(value.source, PlainAttribute):
        return value
    origin = value.origin or Origin(site, "assigned here")
    is_tensor = value.kind is not Kind.OBJECT
    source = PlainAttribute(name, site, whole.ref, is_given, is_tensor=is_tensor)
    return replace(value, origin=replace(origin, source=source))


def keep_registered(run: Run, whole: Value, held: Value) -> None:
    """What a plain list holds of the parameters that a module has anyway moves with that."""
    instance, own = run.instance(held.ref), PartOf(whole.ref)
    kept = instance.with_each(
        lambda each: replace(each, payload=own) if is_registered(each) else each
    )
    if kept is not instance:
        run.store(held.ref, kept)


def is_registered(item: Value) -> bool:
    """Whether it is a parameter of a layer, or of a module, rather than one made for a list."""
    return item.payload == PARAMETER and item.source is None and item.device.is_known


def replaces_state(run: Run, whole: Value, name: str) -> bool:
    """Whether a tensor takes the place of a buffer, under the name of which it is one."""
    held = run.instance(whole.ref).attributes.get(name)
    return (held is not None and held.payload == PARAMETER) or is_inherited(run, whole, name)


def is_inherited(run: Run, whole: Value, name: str) -> bool:
    """Whether an attribute of a module may be a parameter or buffer of a base class out of view:
    assigning to its name replaces that."""
    type_ = run.instance(whole.ref).type
    if not isinstance(type_, ClassInfo) or not type_.is_module:
        return False
    if all(base.payload == MODULE for base in type_.outer_bases):
        return False
    if not any(name in method.stores for method in type_.definitions):
        return True
    made = [init.node for each in type_.line if (init := each.methods.get("__init__")) is not None]
    return any(name in run.once(named_to_methods, node) for node in made)


def named_to_methods(function: ir.Node) -> frozenset[object]:
    """The texts that a method gives first to other methods of its object, as
    `self.add_buffer("mean")` does."""
    calls = (node for node in walk(function) if isinstance(node, ir.Call) and node.args)
    return frozenset(
        call.args[0].value
        for call in calls
        if isinstance(call.args[0], ir.Constant)
        and isinstance(call.func, ir.Attribute)
        and is_self(call.func.value)
    )


def as_item(value: Value) -> Value:
    """A value as a `ParameterList`, or a container of modules, holds it."""
    is_plain = value.kind is Kind.TENSOR and value.payload is None
    return registered(parameter(value)) if is_plain else value


def registered(value: Value) -> Value:
    """A parameter or buffer of a module: from now on it is where that is, whatever made it."""
    origin = value.origin and replace(value.origin, source=None)
    return replace(value, origin=origin)


def alias(value: Value, buffer: Registered, name: str, site: ir.Node) -> Value:
    """A buffer as its module keeps it under another name."""
    source = Alias(name, buffer.name, buffer.whole, site, value.device.is_known)
    origin = value.origin or Origin(site, "assigned here")
    plain = replace(value, payload=None, origin=replace(origin, source=source))
    return plain.untagged(Registered)


def is_made(value: Value) -> bool:
    """Whether it derives from what a factory made; the weights of layers are parameters."""
    is_kept = value.kind in (Kind.TENSOR, Kind.OBJECT) and value.payload != PARAMETER
    return is_kept and value.device.is_cpu and isinstance(value.source, Factory)


def is_argument(value: Value) -> bool:
    """Whether it is an argument as it came, declared to be a tensor, or one computed of some."""
    if isinstance(value.ref, ir.Parameter):
        return is_tensor_type(value.ref.annotation)
    likes = value.device.likes if value.kind is Kind.TENSOR else ()
    return bool(likes) and all(isinstance(each.source, ir.Parameter) for each in likes)
