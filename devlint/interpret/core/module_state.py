"""Modules: where their state is, what moves and uses them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from functools import partial

from devlint.facts.effect import Container, Layer, Model
from devlint.facts.layers import has_parts
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child, outermost
from devlint.interpret.core.scopes import ClassInfo
from devlint.values.alternatives import all_objects, alternatives, objects_in_one, possible_objects
from devlint.values.condition import Sense
from devlint.values.device import UNKNOWN, Device
from devlint.values.instance import ANY, Attach, Instance
from devlint.values.origin import Origin
from devlint.values.payload import Payload
from devlint.values.source import Along
from devlint.values.tags import Placing, Tag, escaped_tags
from devlint.values.value import NOTHING, PARAMETER, Kind, Value


@dataclass(frozen=True, slots=True)
class PartOf(Payload):
    """Of a parameter that is one of those of a module."""

    whole: Hashable


@dataclass(frozen=True, slots=True)
class Registered(Tag):
    """Of the tensor that is the buffer `name` of a module, `whole`."""

    whole: Hashable
    name: str


def is_module(machine: Run, value: Value) -> bool:
    if value.kind is Kind.MODULE:
        return True
    if value.ref is None:
        return False
    type_ = machine.instance(value.ref).type
    return isinstance(type_, Layer | Container | Model) or (
        isinstance(type_, ClassInfo) and type_.is_module
    )


def parts(
    machine: Run, value: Value, seen: set[Hashable], *, is_registered: bool = False
) -> Iterator[Value]:
    """The value and all that it holds, directly or not, whichever of several objects it is;
    `is_registered`: but for what is in the plain lists of modules in view."""
    # Values that come next, last first, and objects that one of them may be.
    pending: list[tuple[Value, Hashable, bool]] = [(value, None, is_registered)]
    while pending:
        whole, ref, is_strict = pending.pop()
        if ref is None:
            yield whole
            refs = () if whole.ref is None else alternatives(whole.ref)[::-1]
            pending += [(whole, each, is_strict) for each in refs if each is not None]
        elif ref not in seen:
            seen.add(ref)
            instance = machine.instance(ref)
            is_strict = is_strict and not moves_by_itself(instance)
            has_plain = is_strict and is_module(machine, whole)
            pending += [
                (item, None, is_strict)
                for item in (*instance.attributes.values(), *instance.items.values())[::-1]
                if (item.ref is not None or item.device.atoms)
                and not (has_plain and item.kind is Kind.CONTAINER)
            ]


def state_devices(machine: Run, value: Value) -> Iterator[tuple[Device, Origin | None]]:
    """Where the parameters and buffers in a module are that meet nothing from elsewhere."""
    for part in parts(machine, value, set()):
        if part.payload == PARAMETER and part.is_scalar is not True:
            yield part.device, part.origin
            continue
        for ref in objects_in_one(part.ref):
            instance = machine.instance(ref)
            if instance.holds_state or is_placed_part(machine, ref, instance):
                yield instance.device, instance.origin


def is_placed_part(machine: Run, ref: Hashable, instance: Instance) -> bool:
    """Whether it is a part of a model of a library that is on a known device, and so has state, as
    most do."""
    return instance.device.is_known and is_part_of_model(machine, ref)


def is_part_of_model(machine: Run, ref: Hashable) -> bool:
    """Whether it is a part of a model of a library, or a layer, which leave inputs as they are."""
    return isinstance(ref, Child) and has_parts(machine.instance(outermost(ref)).type)


def module_device(machine: Run, value: Value) -> tuple[Device, Origin | None]:
    """Where a module is: where it was moved to, else where all of its state was made."""
    instance = machine.instance(value.ref)
    if instance.move is not None:
        return instance.device, instance.move
    found = list(state_devices(machine, value))
    if not found or any(device != found[0][0] for device, _ in found):
        return instance.device, instance.origin
    return found[0]


def holds_cpu_state(machine: Run, value: Value) -> bool:
    return any(device.is_cpu for device, _ in state_devices(machine, value))


def moves_by_itself(instance: Instance) -> bool:
    """A class that overrides how it is moved may take plain attributes along, of its parts, too."""
    return isinstance(instance.type, ClassInfo) and instance.type.method("_apply") is not None


def moved_item(item: Value, device: Device, origin: Origin, *, is_free: bool) -> Value:
    if item.payload == PARAMETER:
        return replace(item, device=device, origin=origin)
    return replace(item, device=UNKNOWN) if is_free and item.kind is Kind.TENSOR else item


def registered(machine: Run, value: Value) -> list[Value]:
    """A module with all that it holds as modules do, and what it holds the parameters of."""
    held = list(parts(machine, value, seen := set[Hashable](), is_registered=True))
    for whole in [each.payload.whole for each in held if isinstance(each.payload, PartOf)]:
        held += parts(machine, Value(Kind.MODULE, ref=whole), seen, is_registered=True)
    return held


def taken_along(
    machine: Run, refs: Iterable[Hashable], takes: Callable[[Instance], bool]
) -> set[Hashable]:
    """Some objects of several, and all that is in them."""
    some = [Value(ref=ref) for ref in refs if takes(machine.instance(ref))]
    return {part.ref for whole in some for part in parts(machine, whole, set())}


def move(machine: Run, value: Value, device: Device, origin: Origin) -> None:
    """Move a module in place with all that it holds, and so what is one of several of its parts."""
    refs = all_objects(each.ref for each in registered(machine, value))
    known = filter(machine.has_instance, machine.choices)
    chosen = [Value(ref=each) for each in known if refs.keys() >= {*possible_objects(each)}]
    refs |= all_objects(r.ref for each in chosen for r in registered(machine, each))
    own = taken_along(machine, refs, moves_by_itself)
    # What is of a class out of view, or of none that is known, is no module perhaps.
    free = own | taken_along(machine, refs, lambda each: isinstance(each.type, Outer))
    free |= taken_along(machine, [value.ref], lambda each: each.type is None)
    free |= {ref for ref in refs if free.issuperset(possible_objects(ref))}
    whole = possible_objects(value.ref)
    for ref in refs:
        instance = machine.instance(ref)
        change = partial(moved_item, device=device, origin=origin, is_free=ref in free)
        moved = instance.with_each(change)
        tags = escaped_tags(instance.tags) if ref in own else instance.tags
        last = origin if ref in whole else replace(origin, source=Along())
        there = replace(moved, device=device, origin=origin, move=last, attaches=(), tags=tags)
        machine.store(ref, there)


def place(
    machine: Run, value: Value, device: Device, origin: Origin | None = None, *, all_of_it: bool
) -> None:
    """Let the state in an object, or what of it is on the CPU, be where others may move it to."""
    for ref in objects(machine, value):
        instance = machine.instance(ref)
        placed = instance.with_each(
            lambda item: (
                replace(item, device=device, origin=origin)
                if item.payload == PARAMETER and (all_of_it or item.device.is_cpu)
                else item
            )
        )
        if all_of_it or instance.device.is_cpu:
            placed = replace(placed, device=device, origin=origin, move=None, attaches=())
        machine.store(ref, placed)


def objects(machine: Run, value: Value) -> Iterator[Hashable]:
    """The keys of a value and of all that it holds which have an instance; of either, both."""
    held = all_objects(part.ref for part in parts(machine, value, set()))
    yield from filter(machine.has_instance, held)


@dataclass(frozen=True, slots=True)
class Outer:
    """The type of what a class out of view makes without a device: of plain arguments on the CPU,
    if anywhere; what it is `given` of modules or tensors may be anywhere."""

    name: str
    given: bool = False


def unmoved(machine: Run, value: Value) -> tuple[Attach, ...]:
    """What was attached to a module or a part of it after its last move, and is on the CPU."""
    found = [
        attached
        for part in parts(machine, value, set())
        if part.ref is not None
        for attached in machine.instance(part.ref).attaches
        if holds_cpu_state(machine, attached.value)
    ]
    return tuple(dict.fromkeys(found))


def part(machine: Run, value: Value) -> Value:
    """A parameter beside its module, with which it moves; any other value as it is."""
    if not isinstance(value.payload, PartOf):
        return value
    whole = machine.instance(value.payload.whole)
    if whole.move is None or whole.device == value.device:
        return value
    return replace(value, device=whole.device, origin=whole.move)


def escape(machine: Run, value: Value) -> None:
    """Code that is not in view gets hold of an object: it may move it, though hardly back."""
    if value.ref is None:
        return
    for ref in objects(machine, value):
        instance = machine.instance(ref)
        is_empty = value.kind is Kind.CONTAINER and ref == value.ref and not instance.items
        # Anything may be put there.
        left = escaped(instance.holding(ANY, NOTHING) if is_empty else instance)
        if left is not instance:  # What is not written need not be joined where paths meet.
            machine.store(ref, left)


def escaped(instance: Instance) -> Instance:
    """What is left of what is known of such an object; the same one if that is all."""
    left = instance.with_each(escaped_item)
    is_far = instance.device.may_accelerate
    is_open = instance.device == UNKNOWN and instance.origin is None
    if left is instance and not instance.tags and (not instance.attaches if is_far else is_open):
        return instance
    tags = escaped_tags(instance.tags)
    if is_far:
        return replace(left, attaches=(), tags=tags)
    return replace(left, device=UNKNOWN, origin=None, tags=tags)


def escape_given(
    machine: Run, arguments: Arguments, *, but_for: Set[Hashable] = frozenset()
) -> None:
    """Such code gets hold of all that it is given, but for some objects."""
    for argument in (*arguments, *arguments.mapped):
        if argument.value.ref not in but_for:
            escape(machine, argument.value)


def escaped_item(item: Value) -> Value:
    """A tensor that an object holds may have been replaced by one that was moved."""
    is_held = item.kind in (Kind.TENSOR, Kind.UNKNOWN) and item.payload != PARAMETER
    return replace(item, device=UNKNOWN) if is_held and item.device.is_known else item


def is_placing(machine: Run, module: Value) -> bool:
    """Whether a module sends its inputs where it is, wherever it is on an accelerator."""
    found = machine.instance(module.ref).tag(Placing)
    if found is None or found.unless is None:
        return found is not None
    device, (test, truth) = module_device(machine, module)[0], found.unless.upright(True)
    if device.arms is not None and device.test == test:
        device = device.arms[0 if truth else 1]
    return test.sense(truth) is Sense.CPU or not device.is_accelerator


def placed(machine: Run, value: Value) -> Value:
    """A module behind a wrapper that places inputs."""
    if value.ref is not None:
        machine.store(value.ref, machine.instance(value.ref).tagged(Placing()))
    return replace(value, payload="placed")


def parameter(value: Value) -> Value:
    """A tensor wrapped in `nn.Parameter`: it stays where it is."""
    origin = value.origin and replace(value.origin, is_state=True)
    value = replace(value, kind=Kind.TENSOR, payload=PARAMETER, origin=origin)
    return value.untagged(Registered)
