"""Assignments to names, attributes and items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from devlint.facts.dimensions import Rank
from devlint.facts.effect import Container, Layer
from devlint.interpret.calls.attributes import item_for_device
from devlint.interpret.core import module_state
from devlint.interpret.core.attachments import attach
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import blur, container, in_order, item, numbered
from devlint.interpret.core.device_expressions import is_place
from devlint.interpret.core.heap import Lattice
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.core.signals import AttributeStored, ChangedInPlace
from devlint.interpret.modules import own_state
from devlint.interpret.modules.derived import library_type
from devlint.interpret.objects import optimizers, plain_attributes
from devlint.interpret.tensors import dimensions, exports, indexing, operations
from devlint.lower import ir
from devlint.queries.name_conventions import names_device, place_named, written
from devlint.queries.tensor_evidence import asked_for_device
from devlint.values.alternatives import possible_objects
from devlint.values.device import UNKNOWN, Device, like
from devlint.values.instance import ANY, Instance, ItemKey, Key
from devlint.values.tags import AllParts, MadeOnCpu, ParameterName, Unfollowed
from devlint.values.value import NOTHING, Kind, Value


def assign(
    machine: Run, target: ir.Expression, value: Value, source: ir.Expression | None = None
) -> None:
    """`source` is the expression whose value it is, where that is written out."""
    if isinstance(target, ir.Name):
        value = located(machine, target, named_device(machine, target, target.id, value))
        machine.bind(target.id, dimensions.shown(machine, machine.function, None, target.id, value))
    elif isinstance(target, ir.Attribute):
        whole = identified(machine, target.value, machine.evaluate(target.value))
        set_attribute(machine, whole, target.name, value, target, source)
    elif isinstance(target, ir.Subscript):
        set_item(machine, target, value, source)
    elif isinstance(target, ir.Display):
        parts = unpacked(machine, value, target.items)
        for part, item, each in zip(target.items, parts, sources(target, source), strict=True):
            assign(machine, part, item, each)
    elif isinstance(target, ir.Starred):
        assign(machine, target.value, value)


def unpacked(machine: Run, value: Value, targets: tuple[ir.Expression, ...]) -> list[Value]:
    """What each target of `a, (b, *c) = value` takes."""
    known = in_order(machine.instance(value.ref).items)
    star = next((i for i, t in enumerate(targets) if isinstance(t, ir.Starred)), None)
    if value.tag(Unfollowed) is not None or operations.has_raised((value,)):
        return [value] * len(targets)
    if value.kind not in (Kind.CONTAINER, Kind.OBJECT) or not known:
        return [item_at(machine, value, index, target) for index, target in enumerate(targets)]
    if star is None:
        return (known + [NOTHING] * len(targets))[: len(targets)]
    after = len(targets) - star - 1
    end = len(known) - after
    rest = container(machine, targets[star], numbered(known[star:end]))
    return ([*known[:star], rest, *known[end:]] + [NOTHING] * len(targets))[: len(targets)]


def item_at(machine: Run, value: Value, index: int, target: ir.Expression) -> Value:
    found = item(machine, value, index, target)
    if isinstance(target, ir.Starred):
        return Value(Kind.CONTAINER, found.device, origin=found.origin)
    return found


def sources(target: ir.Display, source: ir.Expression | None) -> Sequence[ir.Expression | None]:
    """The expressions of `a, b = x, y` one by one."""
    if isinstance(source, ir.Display) and len(source.items) == len(target.items):
        parts = (*source.items, *target.items)
        if not any(isinstance(each, ir.Starred) for each in parts):
            return source.items
    return [None] * len(target.items)


def named_device(machine: Run, target: ir.Expression, name: str, value: Value) -> Value:
    """A name alone, or what is done with it, says that what is unknown is a chosen device."""
    if value.kind is Kind.DEVICE:
        return replace(value, device=operations.chosen_as(value.device, name))
    is_open = value.kind is Kind.UNKNOWN and value.tag(Unfollowed) is None
    scope = machine.function or machine.module
    if is_open and not value.device.is_known and is_place(machine, scope, name, written(target)):
        return Value(Kind.DEVICE, place_named(name), origin=value.origin)
    return value


def located(machine: Run, name: ir.Name, value: Value) -> Value:
    """What a function asks for its device is somewhere, though nobody knows where."""
    is_on_cpu = machine.instance(value.ref).tag(MadeOnCpu) is not None
    is_open = value.kind in (Kind.TENSOR, Kind.UNKNOWN) and not value.device.is_partly_known
    if is_on_cpu or not is_open:
        return value
    function = machine.function
    if not isinstance(function, ir.Def) or name.id not in machine.once(asked_for_device, function):
        return value
    return replace(value, device=like(name, name.id))


def identified(machine: Run, node: ir.Expression, whole: Value) -> Value:
    """An object that is given an attribute, and so has to be told from others: of what is bound to
    a name here, as what a function has given that does nothing with devices."""
    is_open = whole.ref is None and whole.kind is Kind.UNKNOWN
    if not is_open or not isinstance(node, ir.Name) or node.id not in machine.frame.names:
        return whole
    made = replace(whole, ref=machine.make(node, Instance()).ref)
    machine.bind(node.id, made)
    return made


def set_attribute(
    machine: Run,
    whole: Value,
    name: str,
    value: Value,
    site: ir.Expression,
    source: ir.Expression | None,
) -> None:
    if whole.kind is Kind.CLASS and isinstance(whole.payload, ClassInfo):
        # One class stands for all states: what is assigned from outside may be anything.
        machine.reassigned.add((whole.payload, name))
    given = site if source is None else source
    if set_property(machine, whole, name, Argument(given, value)):
        return
    if name == "data":
        set_data(machine, whole, value, site)
        if whole.kind is Kind.TENSOR:
            return
    are_tensors = whole.kind is value.kind is Kind.TENSOR
    if name == "grad" and are_tensors and isinstance(site, ir.Attribute):
        pairs = ((site.value, whole), (given, value))
        met = [operations.operand(pair, may_be_scalar=False) for pair in pairs]
        operations.combined(machine, site, ".grad = ..", met, Rank.SAME)
    value = as_before(machine.instance(whole.ref), name, named_device(machine, site, name, value))
    value = plain_attributes.keep(machine, whole, name, value, site)
    if is_kept_otherwise(machine, whole):
        value = module_state.escaped_item(value)
    value = machine.revise(AttributeStored(value, whole, name, site))
    if names_device(name) and isinstance(site, ir.Attribute):
        keep_open(machine, whole, name, Value(Kind.DEVICE, place_named(written(site))))
    is_held = value.device.is_known or name in own_state.STATE
    if is_held and machine.instance(whole.ref).move is None:
        replace_data(machine, whole, value.device)
    attach(machine, whole, name, value, site, name, source)


def as_before(whole: Instance, name: str, value: Value) -> Value:
    """What takes the place of a tensor of an object in view: one of as many dimensions, such as a
    checkpoint has."""
    before = whole.attributes.get(name) if isinstance(whole.type, ClassInfo) else None
    if before is None or before.kind is not Kind.TENSOR or value.kind is not Kind.UNKNOWN:
        return value
    is_array = value.device.is_cpu and before.is_scalar is False
    return replace(value, kind=Kind.TENSOR, dimensions=before.dimensions) if is_array else value


def set_property(machine: Run, whole: Value, name: str, argument: Argument) -> bool:
    """Run the setter of a property; whether there is one."""
    owner = machine.instance(whole.ref).type
    setter = owner.setter(name) if isinstance(owner, ClassInfo) else None
    if setter is None:
        return False
    machine.invoke(setter, whole, Arguments((argument,)))
    return True


def is_kept_otherwise(machine: Run, whole: Value) -> bool:
    """Whether a module has its own way to keep what it is assigned."""
    owner = machine.instance(whole.ref).type
    if not isinstance(owner, ClassInfo) or not owner.is_module:
        return False
    return owner.method("__setattr__") is not None


def keep_open(machine: Run, whole: Value, key: Key, given: Value | None) -> None:
    """The device that an object out of view names is there, whatever a branch says that it is."""
    if whole.ref is None or given is None:
        return
    instance = machine.instance(whole.ref)
    if instance.held(key) is not None or isinstance(instance.type, ClassInfo):
        return
    machine.objects.add(whole.ref)
    machine.here().amend(whole.ref, lambda each: holding(each, key, given), instance)


def holding(cell: Lattice, key: Key, given: Value) -> Lattice:
    if not isinstance(cell, Instance) or cell.held(key) is not None:
        return cell
    return cell.holding(key, given)


def changed_objects(machine: Run, whole: Value) -> list[Hashable]:
    """The objects of which one is changed: of one of several items, or of what stands for all parts
    of a module, any."""
    refs = list(possible_objects(whole.ref))
    several = [Value(ref=some) for each in refs if (some := several_items(each)) is not None]
    if whole.tag(AllParts) is not None:
        several.append(whole)
    return refs + [each for one in several for each in module_state.objects(machine, one)]


def several_items(ref: Hashable) -> Hashable | None:
    """The key of the items of which something is one, or a part of one."""
    while isinstance(ref, Child):
        if ref.key == ANY:
            return ref.parent
        ref = ref.parent
    return None


def set_data(machine: Run, whole: Value, value: Value, site: ir.Node) -> None:
    """`x.data = y` puts a tensor where another is, and perhaps the layer that has it."""
    place = site.value if isinstance(site, ir.Attribute) else None
    if isinstance(place, ir.Attribute):
        layer = machine.evaluate(place.value)
        replace_data(machine, layer, value.device)
    if isinstance(whole.payload, module_state.PartOf) and value.origin is not None:
        part = Value(Kind.MODULE, ref=whole.payload.whole)
        module_state.move(machine, part, value.device, value.origin)
    if place is not None and whole.kind is Kind.TENSOR:
        assign(machine, place, replace(whole, device=value.device, origin=value.origin))


def set_item(
    machine: Run, target: ir.Subscript, value: Value, source: ir.Expression | None
) -> None:
    if (place := own_state.registry(machine, target.value)) is not None:
        register(machine, place, target, value, source)
        return
    whole = machine.evaluate(target.value)
    index = machine.evaluate(target.index)
    # What a call gives of a function that is running takes the place of what was there.
    value = NOTHING if value.kind is Kind.NEVER else value
    machine.publish(ChangedInPlace(target, whole))
    if machine.notes.restored:
        optimizers.written_back(machine, target, value)
    if whole.kind is Kind.TENSOR:
        indexing.assigned(machine, target, whole, index, value)
        return
    array, filling = (target.value, whole), (source or target, value)
    operations.meet_array(machine, target, "item assignment", array, filling)
    exports.stores(machine, target, whole, index, Argument(source or target, value))
    if whole.kind is Kind.CONTAINER and whole.device.is_known and isinstance(target.value, ir.Name):
        # A loop over the keys of a state dict sets them all.
        machine.bind(target.value.id, replace(whole, device=value.device, origin=value.origin))
    tag = index.tag(ParameterName)
    if tag is not None and whole.kind is Kind.CONTAINER and whole.ref is not None:
        machine.store(whole.ref, machine.instance(whole.ref).tagged(tag))
    key = ItemKey(index.payload) if index.kind is Kind.CONSTANT else ANY
    if whole.kind is Kind.CONTAINER and (key == ANY or is_negative(index.payload)):
        blur(machine, whole, value, target.index if key == ANY else None)
        return
    if isinstance(library_type(machine, machine.instance(whole.ref).type), Container):
        value = plain_attributes.as_item(value)
    keep_open(machine, whole, key, item_for_device(machine, target.value, whole, index.payload))
    attach(machine, whole, key, value, target, written(target), source)


def register(
    machine: Run,
    place: tuple[str, Value],
    target: ir.Subscript,
    value: Value,
    source: ir.Expression | None,
) -> None:
    """`module._buffers["x"] = y` makes a buffer of `y`; what it is called need not be known."""
    registry, whole = place
    name = machine.evaluate(target.index).payload
    if registry == own_state.ATTRIBUTES:
        if isinstance(name, str):
            set_attribute(machine, whole, name, value, target, source)
        else:
            module_state.escape(machine, whole)
        return
    key: Key = name if isinstance(name, str) else ItemKey(target)
    value = plain_attributes.as_item(value) if registry == "_buffers" else value
    attach(machine, whole, key, value, target, written(target), source)


def is_negative(index: object) -> bool:
    return isinstance(index, int) and index < 0


def replace_data(machine: Run, whole: Value, device: Device) -> None:
    """One of a layer's parameters is where another tensor was: the others may follow, of whichever
    layer it is."""
    for each in changed_objects(machine, whole):
        instance = machine.instance(each)
        if isinstance(library_type(machine, instance.type), Layer) and instance.device != device:
            machine.store(each, replace(instance, device=UNKNOWN, origin=None))
