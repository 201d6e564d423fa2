"""Which calls in view have anything to do with devices, by what they are given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devlint.interpret.core.call import Arguments
from devlint.interpret.core.definitions import kept_default
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Loaded
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.interpret.objects.optimizers import is_optimizer
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.dotted_names import last_word
from devlint.queries.name_conventions import names_device
from devlint.values.device import Device, Like
from devlint.values.source import PlainAttribute
from devlint.values.tags import Traced
from devlint.values.value import NOTHING, Kind, Value, as_device


def is_placed(machine: Run, value: Value) -> bool:
    """Whether a caller in view says where a value is, or has made it itself."""
    is_made = value.kind is Kind.TENSOR and not value.device.is_known
    return is_made or is_device_bound(machine, value)


def may_accelerate(machine: Run, value: Value) -> bool:
    """Whether a value, or what it names or holds, may be on an accelerator."""
    devices = [as_device(value) or value.device, machine.instance(value.ref).device]
    return any(device.may_accelerate for device in devices)


def is_worth_running(
    machine: Run, function: Function, arguments: Arguments, receiver: Value | None
) -> bool:
    """Whether the function, or what it is given, has anything to do with devices."""
    given = [receiver or NOTHING, *(argument.value for argument in arguments)]
    if is_far(machine, function, given):
        return False
    if isinstance(function.node, ir.Lambda) or is_seeded(machine, function):
        return True
    if function.is_inner and encloses_seeded(machine, function):
        return True
    if machine.view_at(function.frame).seeds.builds(function.node.words):
        return True
    if not machine.words_of_interest.isdisjoint(function.node.words):
        return True
    given += defaults(machine, function.node)
    if any(map(is_traced, given)):
        return True
    if any(is_device_bound(machine, each) or is_optimizer(each) for each in given):
        return True
    if any(map(names_device, function.node.stores)):
        return True
    return machine.once(returns_made, function.node, function)


def is_far(machine: Run, function: Function, given: Sequence[Value]) -> bool:
    """Whether another module calls a function with what is where some argument is, and nothing on a
    known device: that is looked at there."""
    home = machine.home.frame
    if machine.top is home or function.frame.top is home:
        return False
    places = [p for v in given for p in (v.device, machine.instance(v.ref).device)]
    is_symbolic = any(place.is_like for place in places)
    return is_symbolic and not any(is_device_bound(machine, each) for each in given)


def defaults(machine: Run, function: ir.Def) -> Iterator[Value]:
    """What parameters take by default, unless it is a constant."""
    kept = (kept_default(machine, parameter) for parameter in function.params)
    return (value for value in kept if value is not None)


def returns_made(function: ir.Def) -> bool:
    """Whether a function gives what it has called something for that has a name of its own, as
    those do that choose a model (`net = Net()`, `return net`), a function that it defines, a
    device, or what may name one; or calls the type that stands in every annotation.
    """
    made, may_call = set[str](), "Tensor" in function.words
    for node in walk(function):
        if may_call and isinstance(node, ir.Call) and last_word(node.func) == "Tensor":
            return True
        if isinstance(node, ir.Def):
            made.add(node.name)
        if isinstance(node, ir.Assign) and is_call_by_name(node.value):
            made |= {target.id for target in node.targets if isinstance(target, ir.Name)}
        elif isinstance(node, ir.Return) and node.value is not None:
            is_made = isinstance(node.value, ir.Name) and node.value.id in made
            is_device = isinstance(node.value, ir.Attribute) and node.value.name == "device"
            if is_made or is_device or is_place(node.value) or is_call_by_name(node.value):
                return True
    return False


def is_place(node: ir.Expression) -> bool:
    """Whether an expression is a device, or a text, which may name one; or one of two."""
    if isinstance(node, ir.Conditional):
        return is_place(node.then) or is_place(node.orelse)
    if isinstance(node, ir.Call):
        return last_word(node.func) == "device"
    return isinstance(node, ir.Constant) and isinstance(node.value, str)


def is_call_by_name(node: ir.Expression) -> bool:
    return isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and not node.args


def is_traced(value: Value) -> bool:
    """Whether it matters to what it is given, wherever it is."""
    is_plain = isinstance(value.source, PlainAttribute)
    return is_plain or any(isinstance(tag, Traced) for tag in value.tags)


def is_seeded(machine: Run, each: Function | ClassInfo) -> bool:
    """Whether a function or class has to do with devices, by its words."""
    node = each.node
    return isinstance(node, ir.Lambda) or machine.view_at(each.frame).seeds.are_in(node.words)


def encloses_seeded(machine: Run, function: Function) -> bool:
    """Whether what an inner function calls of the one around it has to do with devices, as what a
    decorator was given."""
    if isinstance(function.node, ir.Lambda):
        return True
    cells = (machine.here().get((function.frame, word)) for word in function.node.words)
    held = [each.payload for each in cells if isinstance(each, Value)]
    given = [
        each for each in held if isinstance(each, Function) and each.frame is not function.frame
    ]
    return any(
        is_seeded(machine, each) or (each.is_inner and encloses_seeded(machine, each))
        for each in given
    )


def is_device_bound(machine: Run, value: Value) -> bool:
    if value.kind in (Kind.GENERATOR, Kind.FUNCTION, Kind.CLASS, Kind.METHOD):
        return True
    if as_device(value) is not None:
        return True
    if is_definite(value.device):
        return True
    return machine.has_instance(value.ref) and holds_device(machine, value, levels=2)


def holds_device(machine: Run, value: Value, levels: int) -> bool:
    """Whether an object, or what it holds directly, is on a device or has been moved."""
    instance = machine.instance(value.ref)
    if instance.move is not None or is_definite(instance.device):
        return True
    return any(
        item.kind is Kind.GENERATOR
        or as_device(item) is not None
        or is_definite(item.device)
        or (levels > 0 and item.ref is not None and holds_device(machine, item, levels - 1))
        for _, item in instance.contents
    )


def is_definite(device: Device) -> bool:
    """Whether more is known than that it is where an argument is."""
    return any(
        not isinstance(atom, Like) or isinstance(atom.source, Loaded) for atom in device.possible()
    )
