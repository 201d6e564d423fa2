"""Optimizers: which parameters they hold, where their state was made, and what moved since."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import NamedTuple

from devlint.analyses import shared_references
from devlint.event import RawState, SplitStep, StaleStep
from devlint.facts.effect import Opaque
from devlint.interpret.core import module_state
from devlint.interpret.core.arguments import Arguments
from devlint.interpret.core.branch_conditions import last_word, path
from devlint.interpret.core.containers import key_text
from devlint.interpret.core.interpreter import Machine
from devlint.interpret.core.object_ids import Made, Restored, outermost
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.queries.name_conventions import names_configuration, names_device, written
from devlint.values.device import META, ON_CPU, UNKNOWN, Device
from devlint.values.instance import Instance
from devlint.values.value import NOTHING, Either, Kind, Origin, Value

OPTIMIZER = "optimizer"
#: Optimizers whose state is made with them, not by their first step (PyTorch 2.13).
EAGER = frozenset({"Adagrad"})


class Held(NamedTuple):
    """The key of what an optimizer has of a module: its `parameters`, as they were when they
    were given to it, or the `state` for them."""

    what: str
    whole: Hashable


def is_optimizer(value: Value) -> bool:
    return value.kind is Kind.OBJECT and value.detail == OPTIMIZER


def built(machine: Machine, fact: Opaque, node: ir.Call, name: str, arguments: Arguments) -> Value:
    """An optimizer refers to the modules whose parameters it was given."""
    given = arguments.get(0, "params")
    if given is None:
        return Value(Kind.OBJECT, detail=fact.kind)
    found = list(module_state.parts(machine, given.value, set()))
    for part in found:
        shared_references.used(machine, part, node, "trained")
    wholes = dict.fromkeys(
        p.detail.whole for p in found if isinstance(p.detail, module_state.PartOf)
    )
    items: dict[Hashable, Value] = {
        Held("parameters", whole): parameters_of(machine, whole, node)
        for whole in wholes
        if whole is not None
    }
    optimizer = machine.make(node, Instance(fact, items=items), Kind.OBJECT)
    if has_no_state(name, arguments):
        return replace(optimizer, detail=fact.kind)
    placed = [(part.device, part.origin) for part in found]
    device, origin = next((p for p in placed if p[0].is_accelerator), (UNKNOWN, None))
    made = replace(optimizer, device=device, detail=fact.kind, origin=origin)
    machine.store(made.ref, replace(machine.instance(made.ref), holds_state=True))
    if name.rpartition(".")[2] in EAGER:
        fill(machine, made, node, "made here, with its state")
    return made


def parameters_of(machine: Machine, whole: Hashable, node: ir.Node) -> Value:
    device, _ = whereabouts(machine, whole)
    origin = Origin(node, "made here", machine.frame.path)
    detail = frozenset(holdings(machine, whole).items())
    return Value(Kind.TENSOR, device, detail=detail, origin=origin)


def has_no_state(name: str, arguments: Arguments) -> bool:
    """Plain SGD keeps no tensors."""
    if not name.endswith(".SGD") or arguments.is_open:
        return False
    momentum = arguments.get(2, "momentum")
    return momentum is None or momentum.value.detail in (0, 0.0)


def called(
    machine: Machine, node: ir.Call, receiver: Value, name: str, arguments: Arguments
) -> Value:
    """A method of an optimizer."""
    if name == "step":
        step(machine, receiver, node)
    elif name == "load_state_dict":
        fill(machine, receiver, node, "loaded here", is_anew=True)
    elif name == "add_param_group":
        forget(machine, receiver)
    return NOTHING


def instances(machine: Machine, optimizer: Value) -> Iterator[tuple[Hashable, Instance]]:
    """An optimizer, or both that it may be."""
    for ref in module_state.alternatives(optimizer.ref):
        if not isinstance(ref, Either) and machine.has_instance(ref):
            yield ref, machine.instance(ref)


def wholes(instance: Instance) -> list[Hashable]:
    keys = [key for key in instance.items if isinstance(key, Held)]
    return [key.whole for key in keys if key.what == "parameters"]


def fill(
    machine: Machine, optimizer: Value, node: ir.Node, text: str, *, is_anew: bool = False
) -> None:
    """State is made where the parameters are at that moment, unless there is some."""
    for ref, instance in instances(machine, optimizer):
        if not instance.holds_state:
            continue
        items = dict(instance.items)
        for whole in wholes(instance):
            if is_anew or Held("state", whole) not in items:
                device, _ = whereabouts(machine, whole)
                origin = Origin(node, text, machine.frame.path)
                items[Held("state", whole)] = Value(Kind.TENSOR, device, origin=origin)
        machine.store(ref, replace(instance, items=items))


def carried(machine: Machine, optimizer: Value, device: Device, origin: Origin) -> None:
    """What state there is moves by itself, wherever the parameters are."""
    for ref, instance in instances(machine, optimizer):
        items = {
            key: replace(item, device=device, origin=origin)
            if isinstance(key, Held) and key.what == "state"
            else item
            for key, item in instance.items.items()
        }
        machine.store(ref, replace(instance, items=items))


def forget(machine: Machine, optimizer: Value) -> None:
    """Whatever it holds may have been changed by hand."""
    module_state.escape(machine, optimizer)


def step(machine: Machine, optimizer: Value, node: ir.Node) -> None:
    """Parameters and state meet, and state is made where there is none."""
    for _, instance in instances(machine, optimizer):
        for whole in wholes(instance):
            compare(machine, instance, whole, node)
    fill(machine, optimizer, node, "made by this step")


def handed(machine: Machine, node: ir.Call, arguments: Arguments) -> None:
    """What trains steps each optimizer that it is given."""
    for argument in arguments:
        if is_optimizer(argument.value):
            step(machine, argument.value, node)


def compare(machine: Machine, optimizer: Instance, whole: Hashable, node: ir.Node) -> None:
    device, move = whereabouts(machine, whole)
    held = optimizer.items[Held("parameters", whole)]
    state = optimizer.items.get(Held("state", whole))
    if move is None or held.origin is None:
        return
    if held.device == META and device.is_known and device != META:
        machine.emit(StaleStep(node, held.origin, move, None))
    elif state is not None and state.origin is not None and state.device.excludes(device):
        machine.emit(SplitStep(node, state.origin, state.device, device, move))
    elif isinstance(held.detail, frozenset) and held.device.is_known:
        for name, origin in replaced(machine, whole, dict(held.detail)):
            machine.emit(StaleStep(node, held.origin, origin, name))


def restored(
    machine: Machine, node: ir.Call, receiver: ir.Expression, arguments: Arguments
) -> None:
    """`load_state_dict` puts what it is given where the parameters are."""
    given = arguments.get(0, "state_dict")
    if given is not None and given.value.ref is not None and "optim" in written(receiver):
        key = (machine.frame, outermost(given.value.ref))
        machine.notes.restored[key] = Restored(node, given.value.device)


def written_back(machine: Machine, target: ir.Subscript, value: Value) -> None:
    """`optimizer.state[parameter] = state`, or an entry of that, as the file has it."""
    whole = target.value.value if isinstance(target.value, ir.Subscript) else target.value
    if not isinstance(whole, ir.Attribute) or whole.name != "state" or value.ref is None:
        return
    before = machine.notes.restored.get((machine.frame, outermost(value.ref)))
    if before is not None and value.device == before.device:
        machine.emit(RawState(target, before.node, written(whole.value)))


def whereabouts(machine: Machine, whole: Hashable) -> tuple[Device, Origin | None]:
    """Where a module is; one made in view that nothing in view has moved is on the CPU."""
    device, origin = module_state.module_device(machine, Value(Kind.MODULE, ref=whole))
    if device.is_known:
        return device, origin
    whole = outermost(whole)
    made = whole.node if isinstance(whole, Made) else whole
    instance = machine.instance(whole)
    if instance.move is None and isinstance(made, ir.Call) and not is_placed(made, instance):
        return ON_CPU, Origin(made, "made here")
    return device, origin


def is_placed(call: ir.Call, instance: Instance) -> bool:
    """Whether a call may have been told a device, or read it from a configuration or a file."""
    name = last_word(call)
    is_class = isinstance(instance.type, ClassInfo) or name[:1].isupper()
    given = [*call.args, *(value for _, value in call.keywords)]
    names = [name for name, _ in call.keywords]
    if "load" in name or any(name is None or "device" in name for name in names):
        return True
    return any(
        any(map(names_device, path(argument)))
        or isinstance(argument, ir.Starred)
        or (not is_class and isinstance(argument, ir.Name) and names_configuration(argument.id))
        for argument in given
    )


def holdings(machine: Machine, whole: Hashable) -> dict[tuple[Hashable, Hashable], Hashable]:
    """The submodules known to hold parameters, by what holds them under which name."""
    found: dict[tuple[Hashable, Hashable], Hashable] = {}
    if isinstance(whole, Either):
        return found
    for part in module_state.parts(machine, Value(Kind.MODULE, ref=whole), set()):
        for key, item in machine.instance(part.ref).items.items():
            if is_own(item) and any(module_state.state_devices(machine, item)):
                found[part.ref, key] = item.ref
    return found


def is_own(item: Value) -> bool:
    """Whether a submodule was assigned in view, and is no copy of another."""
    is_made = isinstance(item.ref, (ir.Call, Made))
    return item.kind is Kind.MODULE and is_made


def replaced(
    machine: Machine, whole: Hashable, before: dict[tuple[Hashable, Hashable], Hashable]
) -> Iterator[tuple[str, Origin]]:
    """The submodules of a module that were assigned since, and moved with it."""
    for (holder, key), ref in holdings(machine, whole).items():
        is_of_class = isinstance(machine.instance(holder).type, ClassInfo)
        was_there = (holder, key) in before
        instance = machine.instance(ref)
        if before.get((holder, key)) == ref or (is_of_class and not was_there):
            continue
        if instance.origin is not None and not machine.instance(holder).attaches:
            yield key_text(key), instance.origin
