"""What attributes of values give."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from devlint.facts.table import fact
from devlint.interpret.core import class_summary, module_state
from devlint.interpret.core.batches import GIVERS, part
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import element, joined
from devlint.interpret.core.definitions import is_decorated
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import Bound, ClassInfo
from devlint.interpret.core.signals import AttributeGiven, AttributeRead
from devlint.interpret.core.views import Symbol
from devlint.interpret.modules import own_state
from devlint.interpret.objects import imported_modules, optimizers, parameter_groups
from devlint.interpret.objects.records import OPTIONS
from devlint.interpret.tensors.operations import chosen_as
from devlint.lower import ir
from devlint.lower.walk import by_type
from devlint.queries.data_uses import sections, used_as_modules
from devlint.queries.dotted_names import path
from devlint.queries.name_conventions import names_device, place_named, written
from devlint.queries.tensor_evidence import ATTRIBUTES
from devlint.values.alternatives import Either, possible_objects
from devlint.values.device import Device, chosen, like
from devlint.values.instance import ANY, Instance, ItemKey
from devlint.values.tags import Empty, MadeOnCpu, Unfollowed
from devlint.values.value import NOTHING, Kind, OneOf, Value, as_device

#: Attributes of a tensor that are tensors where it is.
VIEWS = frozenset({"data", "T", "mT", "H", "mH", "real", "imag", "grad", "values", "indices"})
READ = frozenset({"shape", "dtype", "ndim", "requires_grad", "layout", "is_leaf", "itemsize"})
SELVES = frozenset({"self", "cls"})
CACHED = frozenset({"cached_property"})
PROPERTIES = CACHED | {"property"}


def read(machine: Run, node: ir.Attribute, whole: Value) -> Value:
    if whole.kind is Kind.IMPORTED:
        return imported(machine, node, whole.payload)
    project = machine.libraries.project
    if project is not None and (own := project.attribute(machine, node, whole)) is not None:
        return own
    machine.publish(AttributeRead(node, whole))
    return machine.revise(AttributeGiven(given(machine, node, whole), node, whole))


def given(machine: Run, node: ir.Attribute, whole: Value) -> Value:
    """What an attribute is, by what has it."""
    if node.name == "device":
        return device_of(machine, node, whole)
    if whole.kind is Kind.DEVICE and node.name == "type":
        return whole
    if whole.kind is Kind.TENSOR:
        return of_tensor(node.name, whole)
    if whole.kind is Kind.CLASS:
        return of_class(machine, whole, node.name)
    if node.name == "__dict__" and (every := all_of(machine, whole)) is not None:
        return every
    if isinstance(whole.payload, OneOf):
        return joined(given(machine, node, one) for one in whole.payload.values)
    found = held(machine, whole, node.name)
    if found is not None:
        return module_state.part(machine, found)
    if is_unfollowed(machine, whole):
        return NOTHING.tagged(Unfollowed())
    return unknown(machine, node, whole)


def all_of(machine: Run, whole: Value) -> Value | None:
    """The attributes of an object in view, by their names; modules keep some elsewhere."""
    instance = machine.instance(whole.ref)
    if not isinstance(instance.type, ClassInfo) or instance.type.is_module:
        return None
    items = {ItemKey(name): value for name, value in instance.attributes.items()}
    return machine.put(Child(whole.ref, "__dict__"), Instance(items=items), Kind.CONTAINER)


def is_unfollowed(machine: Run, whole: Value) -> bool:
    """Whether an object may hold more than is known of it, whatever that is called."""
    return machine.instance(whole.ref).tag(Unfollowed) is not None


def imported(machine: Run, node: ir.Attribute, module: object) -> Value:
    dotted = f"{module}.{node.name}"
    if isinstance(module, Symbol) and not imported_modules.is_known(machine, dotted):
        found = imported_modules.attribute(machine, module, node.name)
        if found.kind is not Kind.IMPORTED or isinstance(found.payload, Symbol):
            return found
    is_function = fact(dotted) is not None or machine.libraries.fact(dotted) is not None
    if not names_device(node.name) or dotted.startswith("torch.") or is_function:
        return Value(Kind.IMPORTED, payload=dotted)
    return Value(Kind.DEVICE, place_named(written(node)))


def device_of(machine: Run, node: ir.Attribute, whole: Value) -> Value:
    """`x.device`: where x is; of the object itself, a device chosen at run time."""
    is_class = whole.kind is Kind.CLASS
    found = of_class(machine, whole, "device") if is_class else held(machine, whole, "device")
    if found is not None and found != NOTHING:
        if found.kind is Kind.DEVICE:
            return replace(found, device=chosen_as(found.device, written(node)))
        if found.kind is Kind.CONSTANT and is_option(machine, whole):
            return Value(Kind.DEVICE, place_named(written(node)))
        return found
    if is_unfollowed(machine, whole):
        return NOTHING.tagged(Unfollowed())
    if module_state.is_module(machine, whole):
        device, _ = module_state.module_device(machine, whole)
        return Value(
            Kind.DEVICE, device if device.is_known else like(whole.ref, written(node.value))
        )
    scope = machine.function or machine.module
    is_record = whole.device.is_like and (
        whole.kind is Kind.OBJECT or written(node.value) in machine.once(sections, scope)
    )
    if is_class or is_record or whole.payload == OPTIONS:
        return Value(Kind.DEVICE, place_named(written(node)))
    if whole.device.is_partly_known or whole.kind is Kind.TENSOR:
        return Value(Kind.DEVICE, whole.device, origin=whole.origin)
    names = path(node)
    if names[0] in SELVES and len(names) == 2:
        return Value(Kind.DEVICE, place_named(written(node)))
    if machine.instance(whole.ref).tag(MadeOnCpu) is not None:
        return Value(Kind.DEVICE)
    return Value(Kind.DEVICE, like(whole.ref or node, written(node.value)))


def is_option(machine: Run, whole: Value) -> bool:
    """Whether an object that another file makes as it is imported holds what somebody may set."""
    is_made_at_top = isinstance(whole.ref, ir.Call)
    return is_made_at_top and whole.ref not in machine.once(calls, machine.home.module)


def calls(module: ir.Module) -> frozenset[Hashable]:
    return frozenset(by_type(module)[ir.Call])


def of_tensor(name: str, whole: Value) -> Value:
    if name in VIEWS:
        return replace(whole, payload=None, tags=(Empty(),) if whole.tag(Empty) else ())
    return Value(Kind.NUMBER) if name in READ else NOTHING


def of_class(machine: Run, whole: Value, name: str) -> Value:
    assert isinstance(whole.payload, ClassInfo)
    function = whole.payload.method(name)
    if function is not None:
        return Value(Kind.FUNCTION, payload=function)
    if name == "apply" and whole.payload.is_function:
        return Value(Kind.METHOD, payload=Bound(whole, name))
    return class_attribute(machine, whole.payload, name) or NOTHING


def class_attribute(machine: Run, owner: ClassInfo, name: str) -> Value | None:
    """What a class body assigns; what methods assign as well may be anything."""
    found = next((c.attributes[name] for c in owner.line if name in c.attributes), None)
    is_set = any((each, name) in machine.reassigned for each in owner.line)
    if not is_set and (found is None or not is_stored(owner, name)):
        return found
    first = None if found is None else as_device(found)
    return Value(Kind.DEVICE) if first is not None and first.is_cpu else NOTHING


def is_stored(owner: ClassInfo, name: str) -> bool:
    return any(name in method.stores for method in owner.definitions)


def held(machine: Run, whole: Value, name: str) -> Value | None:
    """An attribute that was assigned, a part under that name, or what the class in view has."""
    instance = machine.instance(whole.ref)
    if name in instance.attributes:
        found = instance.attributes[name]
        return joined([found, NOTHING]) if may_lack(machine, whole, name) else found
    if whole.kind in (Kind.UNKNOWN, Kind.MODULE) and ItemKey(name) in instance.items:
        return instance.items[ItemKey(name)]
    if not isinstance(instance.type, ClassInfo):
        return None
    function = instance.type.method(name)
    if function is None:
        own = class_attribute(machine, instance.type, name)
        return computed(machine, instance.type, whole, name) if own is None else own
    if is_decorated(function, PROPERTIES):
        value = machine.invoke(function, whole)
        if is_decorated(function, CACHED):
            machine.store(whole.ref, machine.instance(whole.ref).holding(name, value))
        return value
    return Value(Kind.METHOD, payload=Bound(whole, name, function))


def computed(machine: Run, owner: ClassInfo, whole: Value, name: str) -> Value | None:
    """What an object gives by `__getattr__` for what it does not have."""
    function = owner.method("__getattr__")
    if function is None or is_stored(owner, name) or name.startswith("__"):
        return None
    asked = Argument(ir.Constant(function.node.at, name), Value(Kind.CONSTANT, payload=name))
    return machine.invoke(function, whole, Arguments((asked,)))


def may_lack(machine: Run, whole: Value, name: str) -> bool:
    """Whether it may be an object of which nothing is known, rather than what has an attribute."""
    if not isinstance(whole.ref, Either) or machine.has_instance(whole.ref):
        return False
    every = map(machine.instance, possible_objects(whole.ref))
    return any(each.type is None and name not in each.attributes for each in every)


def unknown(machine: Run, node: ir.Attribute, whole: Value) -> Value:
    if whole.kind is Kind.UNKNOWN and node.name in ATTRIBUTES:
        machine.tensors.add(whole.ref)
    if names_device(node.name):
        return Value(Kind.DEVICE, place_named(written(node)))
    if whole.kind is Kind.OBJECT and whole.payload in GIVERS:
        return NOTHING
    if whole.kind is Kind.OBJECT and whole.payload in machine.libraries.grids:
        return whole
    if node.name in own_state.STATE and (owner := own_state.owner(machine, whole)) is not None:
        return own_state.state(machine, owner)
    groups = parameter_groups.groups(machine, whole) if node.name == "param_groups" else None
    if optimizers.is_optimizer(whole) and parameter_groups.may_move(machine, node):
        optimizers.forget(machine, whole)
    if groups is not None:
        return groups
    if node.name == "module" and module_state.is_module(machine, whole):
        return whole
    if node.name in machine.libraries.counts or (node.name in READ and whole.device.is_known):
        return Value(Kind.NUMBER)
    if whole.kind is Kind.CONTAINER and whole.ref is None:
        return element(machine, whole, node)  # `x.max(0).values`
    if whole.kind is Kind.CONSTANT or whole.ref is None:
        return Value(device=whole.device, origin=whole.origin)
    items = machine.instance(whole.ref).items
    if whole.kind is Kind.UNKNOWN and ANY in items:
        return items[ANY]
    child = Child(whole.ref, node.name)
    if is_of_model(machine, node.value, whole) or is_plain(machine, whole, node.name):
        return Value(ref=child)
    return part(whole, Value(device=place(machine, whole), ref=child, origin=whole.origin))


def is_plain(machine: Run, whole: Value, name: str) -> bool:
    """Whether the methods of a module assign an attribute, and none registers it."""
    owner = machine.instance(whole.ref).type
    if not isinstance(owner, ClassInfo) or not owner.is_module or not is_stored(owner, name):
        return False
    kept = (machine.once(class_summary.parameters, each.node, each) for each in owner.line)
    is_registered = class_summary.summary(machine, owner).registers(name)
    return not is_registered and not any(name in each for each in kept)


def is_of_model(machine: Run, node: ir.Expression, whole: Value) -> bool:
    """Whether something unknown is used as a model is: what else it has may be a plain number."""
    if whole.kind is not Kind.UNKNOWN or not isinstance(node, ir.Name):
        return False
    return node.id in machine.once(used_as_modules, machine.function or machine.module)


def item_for_device(machine: Run, node: ir.Expression, whole: Value, key: object) -> Value | None:
    """What something has under a text that names a device, if nothing else is known of that: the
    device which it says to use."""
    if not isinstance(key, str) or not names_device(key):
        return None
    items = machine.instance(whole.ref).items
    is_held = whole.kind not in (Kind.UNKNOWN, Kind.OBJECT) or ItemKey(key) in items or ANY in items
    if is_held:
        return None
    return Value(Kind.DEVICE, chosen(f'{written(node)}["{key}"]'))


def place(machine: Run, whole: Value) -> Device:
    """Where what others set on an object is: where the object is. Of a module that its caller has
    placed, tensors that are not moved with it are no concern of its methods."""
    if whole.device.is_partly_known or not module_state.is_module(machine, whole):
        return whole.device
    device = machine.instance(whole.ref).device
    return device if device.is_like else whole.device


def known(machine: Run, constant: Value) -> Value:
    """A constant, or the device that it is the name of where a library or a configuration says."""
    text = constant.payload
    named = machine.libraries.devices and isinstance(text, str) and machine.libraries.device(text)
    return Value(Kind.DEVICE, named) if named else constant


def indexed_device(machine: Run, prefix: str, fields: Sequence[Value] = ()) -> Value:
    """The text `f"cuda:{i}"` names some accelerator, `f"cuda:{x.get_device()}"` that of `x`."""
    device = machine.libraries.kind(prefix)
    if device is None:
        return NOTHING
    is_asked = len(fields) == 1 and fields[0].kind is Kind.DEVICE
    return fields[0] if is_asked else Value(Kind.DEVICE, device)
