"""What factories, layers and generators make, and where."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from devlint.facts import effect
from devlint.facts.dimensions import Size
from devlint.facts.signature import signature
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import in_order
from devlint.interpret.core.heap import DEFAULT
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.signals import Created, DeviceUsed, Drawn
from devlint.interpret.tensors import losses, operations, transfers
from devlint.interpret.tensors.certain_tensors import is_certain_argument
from devlint.interpret.tensors.dimensions import of_factory, of_tensor_like
from devlint.interpret.tensors.operands import operands
from devlint.lower import ir
from devlint.queries.name_conventions import words_of, written
from devlint.values.device import ON_CPU, UNKNOWN, Device, On, asked, chosen
from devlint.values.instance import ANY, Instance
from devlint.values.origin import Origin
from devlint.values.source import Factory
from devlint.values.tags import Empty
from devlint.values.value import NOTHING, Kind, Value


def placed(
    machine: Run, node: ir.Node, arguments: Arguments, *, by_name: bool = False
) -> tuple[Device, Origin] | None:
    """The device that `device=` says; None when it says nothing.

    `by_name`: no positional argument can be the device.
    """
    given = arguments.keywords.get("device")
    if given is None or given.value.is_none:
        is_open = bool(arguments.mapped) if by_name else arguments.is_open
        return (UNKNOWN, Origin(node, "made here", machine.frame.path)) if is_open else None
    device = asked(transfers.device_named(given) or UNKNOWN)
    source = given.value.source if device.is_cpu else None
    return device, Origin(node, f"made on {device.told} here", machine.frame.path, source)


def unplaced(
    machine: Run, call: Call, *, honours_default: bool, takes_device: bool
) -> tuple[Device, Origin]:
    """Where a tensor is made that is given no device."""
    node = call.node
    device, origin = (
        machine.default_device(node) if honours_default else (ON_CPU, machine.made_on_cpu(node))
    )
    return device, replace(origin, source=Factory(node, call.name, takes_device))


#: What data may be a tensor; comparisons of tensors give tensors.
PERHAPS_TENSORS = frozenset({Kind.TENSOR, Kind.UNKNOWN, Kind.CONDITION})


def makes(machine: Run, fact: effect.Makes, call: Call) -> Value:
    node, arguments = call.node, call.arguments
    first = arguments.positional[0] if arguments.positional else None
    source = data_of(machine, fact, first) if first is not None else NOTHING
    place = placed(machine, node, arguments, by_name=True)
    out = arguments.keywords.get("out")
    if place is None and out is not None and not out.value.is_none:
        place = out.value.device, out.value.origin or Origin(node, "made here", machine.frame.path)
    if place is None and fact.device:
        place = (
            Device(frozenset({On(fact.device)})),
            Origin(node, f"made on {fact.device} here", machine.frame.path),
        )
    if place is None and source.kind in PERHAPS_TENSORS and source.origin is not None:
        place = source.device, source.origin
    if place is None:
        honours_default = fact.honours_default or is_default_type(machine, call.name)
        place = unplaced(
            machine, call, honours_default=honours_default, takes_device=fact.honours_default
        )
    device, origin = place
    if device.is_accelerator:
        machine.publish(DeviceUsed(node, f"{call.name}(..)", device))
    value = Value(Kind.TENSOR, device, of_factory(machine, fact, arguments, source), origin=origin)
    if has_no_elements(machine, fact, arguments):
        value = value.tagged(Empty())
    value = machine.revise(Created(value, call))
    return machine.revise(Drawn(value, call)) if fact.samples else value


def has_no_elements(machine: Run, fact: effect.Makes, arguments: Arguments) -> bool:
    """Whether a tensor is made of nothing or an empty list, or the first of its sizes is 0."""
    first = arguments.get(0, "data" if fact.size is Size.DATA else "size")
    if first is None:
        return fact.size is Size.ARRAY and not (list(arguments) or arguments.is_open)
    if fact.size is Size.DATA:
        return isinstance(first.node, ir.Display) and not first.node.items
    sizes = [first.value]
    if first.value.kind is Kind.CONTAINER:
        sizes = in_order(machine.instance(first.value.ref).items)[:1]
    is_zero = any(each.kind is Kind.CONSTANT and each.payload == 0 for each in sizes)
    return fact.size is Size.SIZE and is_zero


def data_of(machine: Run, fact: effect.Makes, given: Argument) -> Value:
    """What a tensor is made of; an argument is no tensor unless that is evident."""
    if fact.size is not Size.DATA or given.value.kind is Kind.ARRAY:
        return NOTHING
    if not operations.unconditional(given.value.device) or is_certain_argument(machine, given):
        return given.value
    if fact.copies and is_plain_argument(machine, given.value):
        return NOTHING
    return replace(given.value, device=UNKNOWN, origin=Origin(given.node, "of unknown data"))


def is_plain_argument(machine: Run, value: Value) -> bool:
    """Whether a value is an argument as it came, or one after the other of its items, whose
    annotation names no tensor, nor has any call in view given it one."""
    source = value.ref
    while isinstance(source, Child) and source.key == ANY:
        source = source.parent
    if not isinstance(source, ir.Parameter) or source in machine.notes.taken:
        return False
    words = words_of(source.annotation) if source.annotation is not None else ()
    return not any(word.endswith("Tensor") for word in words)


def is_default_type(machine: Run, name: str) -> bool:
    """`torch.Tensor` is an alias of what `set_default_tensor_type` was given."""
    default = machine.here().get(DEFAULT)
    is_by_type = isinstance(default, Value) and default.payload == "tensor_type"
    return name == "torch.Tensor" and is_by_type


def makes_like(machine: Run, fact: effect.MakesLike, call: Call) -> Value:
    node, arguments = call.node, call.arguments
    sources = operands(machine, fact, arguments, is_pointwise=False)
    source = sources[0].value if sources else None
    place = placed(machine, node, arguments, by_name=True)
    if place is None and len(sources) > 1:
        source = operations.combined(machine, node, call.name, sources, fact.rank)
    if place is None and source is not None:
        place = source.device, source.origin or Origin(node, "made here", machine.frame.path)
    if place is None and is_of_numbers(fact, arguments):
        place = unplaced(machine, call, honours_default=True, takes_device=True)
    place = place or (UNKNOWN, Origin(node, ""))
    given = [each.value.dimensions for each in sources]
    dimensions = of_tensor_like(machine, fact, arguments, given)
    made = Value(Kind.TENSOR, place[0], dimensions, origin=place[1])
    value = machine.revise(Created(made, call))
    return machine.revise(Drawn(value, call)) if fact.samples else value


def is_of_numbers(fact: effect.MakesLike, arguments: Arguments) -> bool:
    """Whether where another tensor might decide there are numbers."""
    bound = arguments.bound(signature(fact.signature))
    given = [each.value.kind for parameter, each in bound if parameter.is_operand]
    return not arguments.is_open and all(each in (Kind.CONSTANT, Kind.NUMBER) for each in given)


@cache
def alike(fact: effect.Layer) -> effect.Layer:
    """What layers have in common that compute alike, whatever they are made with."""
    return replace(fact, signature="")


def layer(machine: Run, fact: effect.Layer, call: Call) -> Value:
    node = call.node
    device, origin = placed(machine, node, call.arguments) or machine.default_device(node)
    instance = Instance(alike(fact), holds_state=fact.holds_state, device=device, origin=origin)
    made = machine.make(node, instance, Kind.MODULE)
    return losses.hold(machine, fact, made, call.arguments) if fact.is_loss else made


def model(machine: Run, fact: effect.Model, call: Call) -> Value:
    """A module of a library, on the default device unless it is told another."""
    node = call.node
    if fact.is_layer:
        return machine.make(node, Instance(fact), Kind.MODULE)
    device, origin = placed(machine, node, call.arguments) or machine.default_device(node)
    instance = Instance(fact, holds_state=True, device=device, origin=origin)
    return machine.make(node, instance, Kind.MODULE)


def makes_generator(machine: Run, fact: effect.MakesGenerator, call: Call) -> Value:
    given = None if fact.is_default else call.arguments.get(0, "device")
    device = ON_CPU if given is None else transfers.device_named(given) or UNKNOWN
    text = "returns the CPU's own generator" if fact.is_default else f"a generator of {device.told}"
    return Value(Kind.GENERATOR, device, origin=Origin(call.node, text))


def names_device(machine: Run, fact: effect.NamesDevice, call: Call) -> Value:
    arguments = call.arguments
    given = arguments.get(0, "type") or arguments.get(None, "device")
    if fact.is_chosen:
        return Value(Kind.DEVICE, chosen(f"{call.name}()"))
    if given is None:
        return Value(Kind.DEVICE, machine.default_device(call.node)[0])
    device = transfers.device_named(given)
    if device is None or not device.is_known:
        device = chosen(written(given.node))
    index = arguments.get(1, "index")
    if index is not None and isinstance(index.value.payload, int):
        kinds = [atom.type for atom in device.atoms if isinstance(atom, On)]
        device = Device(frozenset(On(kind, index.value.payload) for kind in kinds)) or device
    return Value(Kind.DEVICE, device)


def typed(machine: Run, node: ir.Call, type_: Value, made: Value) -> Value:
    """What a type makes that was chosen between the CPU and CUDA."""
    if not type_.device.is_known or made.kind is not Kind.TENSOR:
        return made
    origin = Origin(node, f"made on {type_.device.told} here", machine.frame.path)
    return replace(made, device=type_.device, origin=origin)


def sets_default(machine: Run, fact: effect.SetsDefault, call: Call) -> Value:
    given = next(iter(call.arguments), None)
    if given is None:
        return NOTHING
    if fact.by == "device":
        device = transfers.device_named(given) or UNKNOWN
    else:
        device = transfers.device_of_type(given.value) or UNKNOWN
    origin = Origin(given.node, f"the default device is set to {device.told} here")
    machine.here().put(DEFAULT, Value(Kind.DEVICE, device, payload=fact.by, origin=origin))
    return NOTHING


def forget_default(machine: Run) -> None:
    """A function that has been called may have set the default device itself."""
    if machine.here().get(DEFAULT) is not None:
        leave_default_open(machine)


def leave_default_open(machine: Run) -> None:
    machine.here().put(DEFAULT, Value(Kind.DEVICE))
