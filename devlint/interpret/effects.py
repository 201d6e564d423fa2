"""The facts of PyTorch applied to a call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from devlint.event import Operand, Sample
from devlint.interpret import checkpoints, modules, moves, operations
from devlint.interpret.arguments import Argument, Arguments
from devlint.interpret.containers import ANY, container, element, item_key, items_of, joined
from devlint.interpret.machine import DEFAULT, Machine
from devlint.interpret.naming import written
from devlint.lower import ir
from devlint.torch_facts import effect
from devlint.torch_facts.effect import Rank, Size
from devlint.torch_facts.signature import Mark, Parameter, signature
from devlint.values.device import ON_CPU, UNKNOWN, Device, On, asked, chosen
from devlint.values.instance import Instance
from devlint.values.value import NONE, NOTHING, Kind, Origin, Value


def apply(
    machine: Machine, fact: effect.Fact, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    """What a call of a known function gives; a method's receiver is its first argument."""
    return EFFECTS[fact.__class__](machine, fact, node, name, arguments)


def operands(
    machine: Machine, fact: effect.Fact, arguments: Arguments, *, is_pointwise: bool
) -> list[Operand]:
    """The arguments that meet, items of sequences one by one."""
    found: list[Operand] = []
    listed = signature(fact.signature)
    in_place = getattr(fact, "in_place", False)
    bound = [(listed.positional(i), a) for i, a in enumerate(arguments.positional)]
    bound += [(listed.keyword(name), a) for name, a in arguments.keywords.items()]
    for index, (parameter, argument) in enumerate(bound):
        if parameter is None or not parameter.is_operand:
            continue
        may_be_scalar = is_pointwise or parameter.mark is Mark.SCALAR_EXEMPT
        for pair in spread(machine, parameter, argument):
            if operations.is_tensor(pair[1]):
                is_target = in_place and index == 0
                found.append(operations.operand(pair, may_be_scalar and not is_target))
    out = arguments.keywords.get("out")
    if out is not None and operations.is_tensor(out.value):
        found.append(Operand(out.node, written(out.node), out.value))
    return found


def spread(machine: Machine, parameter: Parameter, argument: Argument) -> list[operations.Pair]:
    node, value = argument.node, argument.value
    if not parameter.is_sequence or value.kind is not Kind.CONTAINER:
        return [(node, value)]
    items = machine.instance(value.ref).items
    if isinstance(node, ir.Display):
        pairs = [(part, items.get(item_key(i))) for i, part in enumerate(node.items)]
        return [(part, item) for part, item in pairs if item is not None]
    known = items_of(machine, value)
    return [(node, item) for item in known] or [(node, replace(value, kind=Kind.TENSOR))]


def placed(machine: Machine, node: ir.Node, arguments: Arguments) -> tuple[Device, Origin] | None:
    """The device that `device=` says; None when it says nothing."""
    given = arguments.keywords.get("device")
    if given is None or given.value == NONE:
        return (UNKNOWN, Origin(node, "made here")) if arguments.is_open else None
    device = asked(moves.device_named(given) or UNKNOWN)
    return device, Origin(node, f"made on {moves.told(device)} here")


def makes(
    machine: Machine, fact: effect.Makes, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    first = arguments.positional[0] if arguments.positional else None
    source = first.value if first is not None and fact.size is Size.DATA else NOTHING
    place = placed(machine, node, arguments)
    if place is None and fact.device:
        place = Device(frozenset({On(fact.device)})), Origin(node, f"made on {fact.device} here")
    if place is None and operations.is_tensor(source) and source.origin is not None:
        place = source.device, source.origin
    if place is None and fact.honours_default:
        place = machine.default_device(node)
    device, origin = place or (ON_CPU, Origin(node, "made on the CPU here"))
    value = Value(Kind.TENSOR, device, dimensions(fact.size, arguments, source), origin=origin)
    return drawn(machine, node, name, arguments, value) if fact.samples else value


def dimensions(size: Size, arguments: Arguments, source: Value) -> bool | None:
    """Whether a factory's result is 0-dimensional."""
    if size is Size.DATA:
        return of_data(arguments, source)
    if size is Size.SIZE:
        given = arguments.get(0, "size")
        node = given.node if given is not None else None
        return isinstance(node, ir.Display) and not node.items
    return {Size.SCALAR: True, Size.ARRAY: False}.get(size)


def of_data(arguments: Arguments, source: Value) -> bool | None:
    given = arguments.get(0, "data")
    if given is None:
        return None
    if isinstance(given.node, (ir.Display, ir.Comprehension)) or source.kind is Kind.CONTAINER:
        return False
    if given.value.kind is Kind.TENSOR:
        return given.value.is_scalar
    is_number = given.value.kind is Kind.CONSTANT and isinstance(given.value.detail, (int, float))
    return True if is_number or given.value.kind is Kind.NUMBER else None


def makes_like(
    machine: Machine, fact: effect.MakesLike, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    sources = operands(machine, fact, arguments, is_pointwise=True)
    source = sources[0].value if sources else None
    place = placed(machine, node, arguments)
    if place is None and source is not None:
        place = source.device, source.origin or Origin(node, "made here")
    if place is None:
        place = (
            machine.default_device(node) if no_tensor(arguments) else (UNKNOWN, Origin(node, ""))
        )
    rank = operations.ranked(fact.rank, sources) if sources else None
    value = Value(Kind.TENSOR, place[0], rank, origin=place[1])
    return drawn(machine, node, name, arguments, value) if fact.samples else value


def no_tensor(arguments: Arguments) -> bool:
    return all(a.value.kind in (Kind.CONSTANT, Kind.NUMBER) for a in arguments.positional)


def drawn(machine: Machine, node: ir.Call, name: str, arguments: Arguments, value: Value) -> Value:
    """A random draw: its generator has to be where the result is."""
    given = arguments.keywords.get("generator")
    if given is None:
        given = next((a for a in arguments.positional if a.value.kind is Kind.GENERATOR), None)
    if given is None or given.value.kind is not Kind.GENERATOR:
        return value
    layer = machine.frame.layer.node.name if machine.frame.layer else None
    generator = Operand(given.node, written(given.node), given.value)
    sample = Sample(node, name, generator, value.device, value.origin, layer)
    machine.emit(sample)
    return replace(value, detail=sample)


def meets(
    machine: Machine,
    fact: effect.Pointwise | effect.Agrees,
    node: ir.Call,
    name: str,
    arguments: Arguments,
) -> Value:
    is_pointwise = isinstance(fact, effect.Pointwise)
    met = operands(machine, fact, arguments, is_pointwise=is_pointwise)
    if not met:
        return Value(Kind.TENSOR)
    result = operations.combined(machine, node, name, met, fact.rank)
    return met[0].value if fact.in_place else replace(result, kind=Kind.TENSOR)


def follows(
    machine: Machine, fact: effect.Follows, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    sources = operands(machine, fact, arguments, is_pointwise=True)
    if not sources:
        return Value(Kind.TENSOR)
    is_whole = len(arguments.positional) == 1 and not {"dim", "axis"} & arguments.keywords.keys()
    value = operations.follow(sources[0].value, fact.rank, is_whole)
    if fact.rank is Rank.UNKNOWN and gives_size(fact, arguments):
        value = replace(value, is_scalar=False)
    if fact.in_place:
        value = sources[0].value
    return drawn(machine, node, name, arguments, value) if fact.samples else value


def gives_size(fact: effect.Follows, arguments: Arguments) -> bool:
    """`view(2, 3)` and `reshape(-1)` have at least one dimension."""
    size = signature(fact.signature).positional(1)
    if size is None or not size.is_sequence or len(arguments.positional) < 2:
        return False
    return arguments.positional[1].value.kind in (Kind.CONSTANT, Kind.NUMBER)


def many(
    machine: Machine, fact: effect.Many, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    met = operands(machine, fact, arguments, is_pointwise=False)
    result = operations.combined(machine, node, name, met, Rank.UNKNOWN) if met else NOTHING
    return Value(Kind.CONTAINER, result.device, origin=result.origin)


def picks(
    machine: Machine, fact: effect.Picks, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    met = operands(machine, fact, arguments, is_pointwise=True)
    if len(met) > 1:
        return operations.combined(machine, node, name, met, Rank.SAME)
    if not met:
        return NOTHING
    if len(arguments.positional) > 1 or arguments.keywords:
        return Value(Kind.CONTAINER, met[0].value.device, origin=met[0].value.origin)
    return operations.follow(met[0].value, Rank.SCALAR, is_reduced_whole=True)


def moves_first(
    machine: Machine, fact: effect.Moves, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    """`torch.Tensor.cpu(x)`: the receiver is given by position."""
    if not arguments.positional:
        return NOTHING
    rest = replace(arguments, positional=arguments.positional[1:])
    return moves.moved(machine, node, fact, arguments.positional[0].value, rest)


def pins(
    machine: Machine, fact: effect.Pins, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    return arguments.positional[0].value


def layer(
    machine: Machine, fact: effect.Layer, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    device, origin = placed(machine, node, arguments) or machine.default_device(node)
    instance = Instance(fact, holds_state=fact.holds_state, device=device, origin=origin)
    return machine.make(node, instance, Kind.MODULE)


def contains(
    machine: Machine, fact: effect.Container, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    """A container of modules holds its arguments, or the items of the one that is a list."""
    items: dict[Hashable, Value] = {
        item_key(i): a.value for i, a in enumerate(arguments.positional)
    }
    if arguments.rest:
        items[ANY] = joined(a.value for a in arguments.rest)
    if len(arguments.positional) == 1 and arguments.positional[0].value.kind is Kind.CONTAINER:
        items = dict(machine.instance(arguments.positional[0].value.ref).items)
    return machine.make(node, Instance(fact, items=items), Kind.MODULE)


def wraps(
    machine: Machine, fact: effect.Wraps, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    given = next(iter(arguments), None)
    if given is None:
        return NOTHING
    is_parameter = name.rpartition(".")[2] in ("Parameter", "Buffer")
    return modules.parameter(given.value) if is_parameter else given.value


def makes_generator(
    machine: Machine, fact: effect.MakesGenerator, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    given = None if fact.is_default else arguments.get(0, "device")
    device = ON_CPU if given is None else moves.device_named(given) or UNKNOWN
    where = "the CPU" if device.is_cpu else moves.told(device)
    text = "returns the CPU's own generator" if fact.is_default else f"a generator of {where}"
    return Value(Kind.GENERATOR, device, origin=Origin(node, text))


def opaque(
    machine: Machine, fact: effect.Opaque, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    """An optimizer's state is where the parameters are that it was given."""
    given = next(iter(arguments), None)
    if fact.kind != "optimizer" or given is None or has_no_state(name, arguments):
        return Value(Kind.OBJECT, detail=fact.kind)
    found = [(p.device, p.origin) for p in modules.parts(machine, given.value, set())]
    device, origin = next((f for f in found if f[0].is_accelerator), (UNKNOWN, None))
    return Value(Kind.OBJECT, device, detail=fact.kind, origin=origin)


def has_no_state(name: str, arguments: Arguments) -> bool:
    """Plain SGD keeps no tensors."""
    return name.endswith(".SGD") and "momentum" not in arguments.keywords


def names_device(
    machine: Machine, fact: effect.NamesDevice, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    given = arguments.get(0, "type") or arguments.get(None, "device")
    if fact.is_chosen:
        return Value(Kind.DEVICE, chosen(f"{name}()"))
    if given is None:
        return Value(Kind.DEVICE, machine.default_device(node)[0])
    device = moves.device_named(given)
    if device is None or not device.is_known:
        device = chosen(written(given.node))
    index = arguments.get(1, "index")
    if index is not None and isinstance(index.value.detail, int):
        kinds = [atom.type for atom in device.atoms if isinstance(atom, On)]
        device = Device(frozenset(On(kind, index.value.detail) for kind in kinds)) or device
    return Value(Kind.DEVICE, device)


def sets_default(
    machine: Machine, fact: effect.SetsDefault, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    given = next(iter(arguments), None)
    if given is None:
        return NOTHING
    if fact.by == "device":
        device = moves.device_named(given) or UNKNOWN
    else:
        device = moves.device_of_type(str(given.value.detail)) or UNKNOWN
    machine.here().put(DEFAULT, Value(Kind.DEVICE, device))
    return NOTHING


def inert(
    machine: Machine, fact: effect.Inert, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    first = arguments.positional[0].value if arguments.positional else NOTHING
    if name in ("builtins.list", "builtins.tuple", "builtins.iter", "builtins.sorted"):
        return first
    if name == "builtins.enumerate":
        pair = {item_key(0): Value(Kind.NUMBER), item_key(1): element(machine, first, node)}
        return container(machine, node, {ANY: container(machine, node.func, pair)})
    if name == "builtins.zip":
        each = {
            item_key(i): element(machine, a.value, a.node)
            for i, a in enumerate(arguments.positional)
        }
        return container(machine, node, {ANY: container(machine, node.func, each)})
    if name.endswith(".is_available"):
        return Value(Kind.CONDITION)
    is_number = name in ("builtins.len", "builtins.int", "builtins.float")
    return Value(Kind.NUMBER) if is_number else Value(ref=machine.key(node))


EFFECTS: dict[type, Callable[[Machine, Any, ir.Call, str, Arguments], Value]] = {
    effect.Makes: makes,
    effect.MakesLike: makes_like,
    effect.Pointwise: meets,
    effect.Agrees: meets,
    effect.Follows: follows,
    effect.Many: many,
    effect.Picks: picks,
    effect.Moves: moves_first,
    effect.Pins: pins,
    effect.Reads: lambda machine, fact, node, name, arguments: Value(Kind.NUMBER),
    effect.Exports: lambda machine, fact, node, name, arguments: Value(Kind.ARRAY),
    effect.Layer: layer,
    effect.Container: contains,
    effect.Wraps: wraps,
    effect.MakesGenerator: makes_generator,
    effect.Opaque: opaque,
    effect.NamesDevice: names_device,
    effect.SetsDefault: sets_default,
    effect.Saves: checkpoints.saves,
    effect.Loads: checkpoints.loads,
    effect.Inert: inert,
}
