"""Objects of other libraries that place modules and batches: Accelerate, Fabric, trainers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from devlint.event import Operand
from devlint.facts.effect import Fact
from devlint.facts.signature import signature
from devlint.interpret.core import batches, module_state
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import container, numbered
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import Given, Handler
from devlint.interpret.core.signals import Communicated
from devlint.interpret.modules import module_calls
from devlint.interpret.objects import optimizers, saved_files
from devlint.interpret.tensors import operations, transfers
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.values.device import ON_CPU, UNKNOWN, Device, chosen, named
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.tags import Placing, Tag, Tags
from devlint.values.value import NOTHING, Kind, Value


@dataclass(frozen=True, slots=True)
class Placer(Fact):
    """An object that chooses a device at run time and places what it is given (`Accelerator`).

    Operands are placed at once. `kind` is the name that its methods have facts under; `stays` are
    the flags that choose the CPU, `named` the argument that names the kind of accelerator, and
    `settings` the argument that is such an object itself. It places nothing unless the arguments
    in `only` are None or the constants given there. With one of `feeds` it may move the inputs
    of modules, too.
    """

    kind: str
    stays: tuple[str, ...] = ()
    named: str = ""
    settings: str = ""
    feeds: tuple[str, ...] = ()
    only: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Places(Fact):
    """Takes modules, and what loaders give, to one device, and gives its operands back.

    `to` is the argument with that device: `self`, an object that places, or `device`, a device.
    Without one, and unless `only` holds as for a `Placer`, where things are is not known any more.
    `feeds`: inputs are moved too. `gives`: something else than the operands comes back. `returns`:
    modules are on the CPU when it is done, wherever they were.
    """

    to: str = ""
    only: tuple[tuple[str, object], ...] = ()
    feeds: bool = False
    gives: bool = False
    returns: bool = False


@dataclass(frozen=True, slots=True)
class Initialises(Fact):
    """A context whose modules are made on the device of `self`, or nobody knows where."""


@dataclass(frozen=True, slots=True)
class Carries(Fact):
    """Moves its operand, tensors and what holds them too, to the device of `self`."""


@dataclass(frozen=True, slots=True)
class Gathers(Fact):
    """Hands its operand to other processes, between accelerators if `self` takes things to one, and
    gives what comes of it, where that is."""


@dataclass(frozen=True, slots=True)
class Placement(Tag):
    """Of an object that places: where it takes what it is given."""

    device: Value

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag:
        return (
            Placement(self.device.join(other.device, test))
            if isinstance(other, Placement)
            else self
        )


def made(machine: Run, fact: Placer, call: Call) -> Value:
    arguments = call.arguments
    device, place = chosen_by(machine, fact, call)
    feeds = any(name in arguments.keywords for name in fact.feeds)
    for argument in arguments:
        module_state.escape(machine, argument.value)
    for argument in operands(fact, arguments):
        put(machine, call.node, argument, place)
    own = placer(Value(Kind.DEVICE, device), Value(Kind.DEVICE, place), feeds=feeds)
    for parameter, argument in arguments.bound(signature(fact.signature)):
        if parameter.is_operand:
            own = own.holding(parameter.name, argument.value)
    return replace(machine.make(call.node, own, Kind.OBJECT), payload=fact.kind)


def placer(device: Value, place: Value, *, feeds: bool) -> Instance:
    tags: Tags = (Placement(place), Placing()) if feeds else (Placement(place),)
    return Instance(attributes={"device": device}, tags=tags)


def given(machine: Run, fact: Placer, parameter: ir.Parameter) -> Value:
    """An argument that is annotated as an object that places, and may place inputs as well."""
    device = Value(Kind.DEVICE, chosen(f"{parameter.name}.device"))
    own = placer(device, device, feeds=True)
    return replace(machine.make(parameter, own, Kind.OBJECT), payload=fact.kind)


def chosen_by(machine: Run, fact: Placer, call: Call) -> tuple[Device, Device]:
    """The device of a new object, and where it takes what it is given."""
    arguments = call.arguments
    device = chosen(f"{written(call.node)}.device")
    settings = arguments.get(1, fact.settings) if fact.settings else None
    if settings is not None and settings.value.kind is Kind.OBJECT:
        placer = machine.instance(settings.value.ref)
        if placer.tag(Placement) is not None:
            return placer.attributes["device"].device, placement(machine, settings)
    given = arguments.named(signature(fact.signature))
    name = given[fact.named].value.payload if fact.named in given else None
    if isinstance(name, str):
        device = named(name) or device
    if any(flag in given and given[flag].value.payload is True for flag in fact.stays):
        device = ON_CPU
    return device, device if is_plain(fact, arguments) else UNKNOWN


def is_plain(fact: Placer | Places, arguments: Arguments) -> bool:
    """Whether nothing that is given may change where things are placed."""
    named_by = arguments.named(signature(fact.signature))
    given = [(named_by[name].value, each) for name, each in fact.only if name in named_by]
    return not arguments.is_open and all(
        value.kind is Kind.CONSTANT and value.payload in (None, each) for value, each in given
    )


def operands(fact: Fact, arguments: Arguments) -> list[Argument]:
    pairs = arguments.bound(signature(fact.signature))
    return [a for parameter, a in pairs if parameter.is_operand and parameter.name != "self"]


def places(machine: Run, fact: Places, call: Call) -> Value:
    node, arguments = call.node, call.arguments
    device = destination(machine, fact, arguments)
    given = operands(fact, arguments)
    if fact.gives or arguments.rest:
        for argument in arguments:
            module_state.escape(machine, argument.value)
    results = [put(machine, node, argument, device) for argument in given]
    if fact.returns:
        taken_back(machine, node, given)
    if fact.feeds or feeds_by(machine, fact, arguments):
        results = [module_state.placed(machine, result) for result in results]
    if fact.gives or arguments.rest:
        return Value(ref=machine.key(node))
    return together(machine, node, results)


def feeds_by(machine: Run, fact: Places, arguments: Arguments) -> bool:
    """Whether what places may move the inputs of modules, too."""
    if fact.to != "self":
        return False
    placer = machine.instance(arguments.positional[0].value.ref)
    return placer.tag(Placing) is not None


def together(machine: Run, node: ir.Call, results: list[Value]) -> Value:
    """One operand comes back as it is, several as a tuple."""
    if len(results) == 1:
        return results[0]
    return container(machine, node, numbered(results))


def destination(machine: Run, fact: Places, arguments: Arguments) -> Device:
    if not is_plain(fact, arguments):
        return UNKNOWN
    if fact.to == "self":
        return placement(machine, arguments.positional[0])
    given = arguments.keywords.get(fact.to)
    if given is None:
        return UNKNOWN
    index = given.value.payload
    is_number = given.value.kind is Kind.NUMBER or isinstance(given.node, ir.Unary)
    if is_number or (isinstance(index, int) and index < 0):
        return UNKNOWN
    return transfers.device_named(given) or UNKNOWN


def placement(machine: Run, whole: Argument) -> Device:
    found = machine.instance(whole.value.ref).tag(Placement)
    device = NOTHING.device if found is None else found.device.device
    return operations.chosen_as(device, f"{written(whole.node)}.device")


def put(machine: Run, node: ir.Call, given: Argument, device: Device) -> Value:
    """Take an operand to a device in place; to one that is not known, and it may be anywhere."""
    value = given.value
    if not device.is_known:
        return taken_over(machine, value)
    origin = Origin(node, f"placed on {device.told} here", machine.frame.path)
    if optimizers.is_optimizer(value):
        optimizers.carried(machine, value, device, origin)
    elif value.kind is Kind.OBJECT and value.payload in batches.LOADERS:
        return batches.carried(value, device, origin)
    elif is_model(machine, given):
        saved_files.reached(machine, value, node)
        module_state.move(machine, value, device, origin)
        return replace(value, device=device, origin=origin) if value.device.is_known else value
    elif value.kind is not Kind.OBJECT:
        module_state.escape(machine, value)
    return value


def taken_back(machine: Run, node: ir.Call, given: Sequence[Argument]) -> None:
    """Modules are on the CPU from then on."""
    origin = Origin(node, "left on the CPU when this is done", machine.frame.path)
    for each in given:
        if module_state.is_module(machine, each.value):
            module_state.move(machine, each.value, ON_CPU, origin)


def is_model(machine: Run, given: Argument) -> bool:
    """What is trained is one; others may be loaders, or be left alone."""
    instance = machine.instance(given.value.ref)
    if instance.tag(Placing) is not None and not instance.device.is_known:
        return False
    is_trained = instance.tag(module_calls.Trained) is not None
    return module_state.is_module(machine, given.value) or is_trained


def taken_over(machine: Run, value: Value) -> Value:
    """What others place may be anywhere from then on."""
    if value.kind is Kind.OBJECT and value.payload in batches.LOADERS:
        return batches.carried(value, UNKNOWN)
    module_state.place(machine, value, UNKNOWN, all_of_it=True)
    module_state.escape(machine, value)
    is_open = value.kind is Kind.UNKNOWN and value.device.is_known
    return replace(value, device=UNKNOWN, origin=None) if is_open else value


def carries(machine: Run, fact: Carries, call: Call) -> Value:
    """A copy of tensors, and of what holds some; modules move in place."""
    device = placement(machine, call.arguments.positional[0])
    given = operands(fact, call.arguments)
    if not given:
        return NOTHING
    value = given[0].value
    if not device.is_known:
        return taken_over(machine, value)
    origin = Origin(call.node, f"moved to {device.told} here", machine.frame.path)
    if module_state.is_module(machine, value) or value.kind is Kind.UNKNOWN:
        module_state.move(machine, value, device, origin)
    if value.kind is Kind.CONTAINER:
        return Value(Kind.CONTAINER, device, origin=origin)
    if value.kind is Kind.TENSOR:
        return Value(Kind.TENSOR, device, value.dimensions, origin=origin)
    return replace(value, device=device, origin=origin) if value.kind is Kind.UNKNOWN else value


def gathers(machine: Run, fact: Gathers, call: Call) -> Value:
    given = operands(fact, call.arguments)
    handed = [Operand(each.node, written(each.node), each.value) for each in given]
    if not placement(machine, call.arguments.positional[0]).is_cpu:
        machine.publish(Communicated(call, handed))
    return handed[0].value if handed else NOTHING


def initialises(machine: Run, fact: Initialises, call: Call) -> Value:
    """A context manager that is taken for the default device that it sets."""
    if not fact.signature.startswith("self"):
        return Value(Kind.DEVICE)
    return Value(Kind.DEVICE, placement(machine, call.arguments.positional[0]))


HANDLERS: Mapping[type[Fact], Handler[Run]] = {
    Placer: made,
    Places: places,
    Carries: carries,
    Gathers: gathers,
    Initialises: initialises,
}
GIVEN: Mapping[type[Fact], Given[Run]] = {Placer: given}
