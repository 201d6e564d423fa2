"""What modules are given, and what those out of view give back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from devlint.event import Feed, Operand
from devlint.facts.effect import Container, Layer, Model
from devlint.interpret.core import batches, module_state
from devlint.interpret.core.attachments import holds_itself
from devlint.interpret.core.batches import is_batch, settled
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import outermost
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.core.signals import Meeting
from devlint.interpret.modules.derived import called_type
from devlint.interpret.tensors import losses, operations
from devlint.lower import ir
from devlint.queries.data_uses import asked_as_modules
from devlint.queries.dotted_names import path
from devlint.queries.name_conventions import is_self, written
from devlint.values.alternatives import possible_objects
from devlint.values.device import UNKNOWN, Device, like
from devlint.values.dimensions import ARRAY, UNRANKED, Dimensions
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.source import Output
from devlint.values.tags import Lasting
from devlint.values.value import Kind, Value


class Trained(Lasting):
    """Of what `train()`, `eval()` or `parameters()` was called on: who has these is a module."""

    __slots__ = ()


def fed(machine: Run, node: ir.Call, callee: Value, type_: object, arguments: Arguments) -> bool:
    """Say what a module is given, which computes as one of a type does; whether all of that may be
    where the module is."""
    device, origin = module_state.module_device(machine, callee)
    if not device.is_known or not takes_as_is(machine, callee, type_):
        return True
    if next(module_state.state_devices(machine, callee), None) is None:
        return True
    has_metric = is_metric(machine, callee)
    if has_metric and not device.is_cpu:
        return True  # Most of them add what is on the CPU to what is not.
    module = Operand(
        node.func,
        written(node.func),
        Value(Kind.MODULE, device, ref=callee.ref, origin=origin),
        role="metric" if has_metric else "",
    )
    inputs = tuple(given(machine, arguments, type_))
    if inputs:
        found = tuple(operations.located(machine, each) for each in inputs)
        module = operations.located(machine, module)
        machine.emit(Feed(node, module, found, machine.call, path=machine.frame.path))
    apart = [each for each in inputs if device.excludes(each.value.device)]
    for each in apart:
        batches.clashed(machine, each.value)
    return not apart


def is_metric(machine: Run, value: Value) -> bool:
    type_ = machine.instance(value.ref).type
    return isinstance(type_, Layer | Container) and type_.is_metric


def meet_state(run: Run, node: ir.Call, state: Value, arguments: Arguments) -> None:
    """The inputs of a layer meet its parameters."""
    if not run.hears(Meeting):
        return
    layer = Operand(node.func, written(node.func), state)
    for argument in arguments:
        for value in items_of(run, argument.value) or [argument.value]:
            given = Operand(argument.node, written(argument.node), value)
            run.publish(Meeting(node, f"{layer.name}(..)", [given, layer], [given]))


def meet_part(run: Run, node: ir.Call, callee: Value, arguments: Arguments) -> None:
    """The inputs of a module out of view meet its parameters."""
    device = state_device(run, node, callee)
    if device is not None:
        meet_state(run, node, Value(Kind.TENSOR, device, dimensions=ARRAY), arguments)


def state_device(run: Run, node: ir.Call, callee: Value) -> Device | None:
    """Where the parameters are of a model of a library; those of any other submodule, of the module
    whose method runs, are where all others of that module are."""
    instance = run.instance(callee.ref)
    if isinstance(instance.type, Model) and instance.holds_state:
        return module_state.module_device(run, callee)[0]
    return own_device(run, node) if may_hold_state(run, callee) else None


def own_device(run: Run, node: ir.Call) -> Device | None:
    """Where the module is whose method runs, if a part of it is called."""
    receiver = run.frame.receiver
    if receiver is None or not isinstance(node.func, ir.Attribute) or not is_self(node.func.value):
        return None
    device = run.instance(receiver.ref).device
    return device if receiver.kind is Kind.MODULE and device.is_like else None


def may_hold_state(run: Run, callee: Value) -> bool:
    """Whether an argument is a module, rather than a function, by what shows in view: it is trained
    or evaluated, annotated, or asked for its parameters."""
    if run.instance(callee.ref).tag(Trained) is not None:
        return True
    given = callee.ref if isinstance(callee.ref, ir.Parameter) else None
    if given is None:
        return False
    if given.annotation is not None:
        return path(given.annotation)[-1:] == ["Module"]
    takers = (each for each in run.running if isinstance(each, ir.Def) and given in each.params)
    return any(given.name in run.once(asked_as_modules, each) for each in takers)


def is_of_given_model(run: Run, device: Device) -> bool:
    """Whether what is there is of a model that the code is given, or that was handed what was put
    on a device."""
    sources = [like.source for like in device.likes]
    return device.is_like and all(
        each in run.notes.fed or may_hold_state(run, Value(ref=each)) for each in sources
    )


def takes_as_is(machine: Run, callee: Value, type_: object) -> bool:
    """Whether a module, which computes as one of a type does, is known to leave its inputs where
    they are."""
    if module_state.is_placing(machine, callee):
        return False
    if isinstance(type_, Container):
        refs = [ref for part in items_of(machine, callee) for ref in possible_objects(part.ref)]
        parts = [Value(Kind.MODULE, ref=ref) for ref in refs]
        types = [called_type(machine, part) for part in parts]
        if holds_itself(machine, callee):
            return False
        return bool(parts) and all(map(partial(takes_as_is, machine), parts, types))
    is_loss = isinstance(type_, Layer) and type_.is_loss  # Its inputs meet one another.
    is_known = isinstance(type_, Layer | Model) or module_state.is_part_of_model(
        machine, callee.ref
    )
    return is_known and not is_loss


def given(machine: Run, arguments: Arguments, type_: object) -> Iterator[Operand]:
    """The tensors that a call computes with, those in tuples and lists too."""
    is_recurrent = isinstance(type_, Layer) and type_.is_recurrent
    masks = type_.masks if isinstance(type_, Layer) else ()
    dropped = [arguments.get(index, name) for index, name in masks]
    for index, argument in enumerate((*arguments, *arguments.mapped)):
        if any(argument is each for each in dropped):
            continue
        role = "hidden state" if is_recurrent and index == 1 else ""
        for value in tensors(machine, argument, levels=2):
            if value.device.is_known and operations.is_tensor(value):
                yield Operand(argument.node, written(argument.node), value, role=role)


def tensors(machine: Run, argument: Argument, levels: int) -> Iterator[Value]:
    value = settled(machine, argument.value)
    held = items_of(machine, value) if value.ref is not None else []
    if value.kind is Kind.CONTAINER and levels:
        for item in held:
            yield from tensors(machine, Argument(argument.node, item), levels - 1)
    elif not (is_batch(value) and held):  # Of a batch with items set one by one, not all is known.
        yield value


def output(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
    """What a module out of view gives: something where the module is."""
    key = machine.key(node)
    if machine.has_instance(key):  # Of an earlier round of a loop.
        machine.store(key, Instance())
    device, origin = output_device(machine, node, callee, arguments)
    if not device.is_accelerator and not device.is_like:
        return Value(ref=key)
    given_by = Origin(node, "computed here") if origin is None else origin
    return Value(device=device, ref=key, origin=replace(given_by, source=Output()))


def output_device(
    machine: Run, node: ir.Call, callee: Value, arguments: Arguments
) -> tuple[Device, Origin | None]:
    """Where a module is, for sure, or all that it is given; only modules are moved and called. What
    one gives that is given itself is where that is."""
    instance = machine.instance(callee.ref)
    device, origin = module_state.module_device(machine, callee)
    is_trained = instance.tag(Trained) is not None
    is_typed = isinstance(instance.type, ClassInfo | Layer | Container | Model)
    if device.is_known and (is_typed or is_trained):
        return device, origin
    given = [a.value for a in arguments if operations.is_tensor(a.value)]
    is_open = not device.is_known and all(value.device.is_like for value in given)
    if is_open and may_hold_state(machine, callee) and is_given(callee):
        return own_device(machine, node) or like(callee.ref, written(node.func)), None
    is_moved = instance.move is not None
    if not given or not (is_trained or is_moved) or any(g.device != given[0].device for g in given):
        return UNKNOWN, None
    if not is_moved:
        return given[0].device, given[0].origin
    return (device, origin) if agree(device, given[0].device) else (UNKNOWN, None)


def agree(module: Device, given: Device) -> bool:
    """Whether what a module is given is with it on each path on which that was moved."""
    if module == given or module.arms is None or module.test is None:
        return module == given
    return all(
        not arm.is_known or agree(arm, given.given(module.test, truth))
        for arm, truth in zip(module.arms, (True, False), strict=True)
    )


def is_given(module: Value) -> bool:
    """Whether a caller has handed it in, or what holds it."""
    return isinstance(outermost(module.ref), ir.Parameter)


def trained(machine: Run, call: Call) -> None:
    """`model.train()`, `model.parameters()`: what has these is a module."""
    receiver = call.receiver
    if receiver.kind is Kind.UNKNOWN and receiver.ref is not None:
        instance = machine.instance(receiver.ref)
        if instance.tag(Trained) is None:
            machine.store(receiver.ref, instance.tagged(Trained()))


def of_layer(
    machine: Run, callee: Value, type_: Layer | Container, given: Argument | None
) -> Dimensions:
    """What a layer gives: with parameters, one dimension at least."""
    if type_.is_metric:
        return UNRANKED
    if isinstance(type_, Layer) and type_.is_loss:
        return losses.given(machine, callee)
    types = [machine.instance(each.ref).type for each in items_of(machine, callee)] or [type_]
    layers = [each for each in types if isinstance(each, Layer) and not each.is_loss]
    has_state = any(each.holds_state for each in layers)
    is_array = has_state or (given is not None and given.value.dimensions.least > 0)
    return ARRAY if is_array and len(layers) == len(types) else UNRANKED
