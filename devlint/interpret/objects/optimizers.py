"""Optimizers: which parameters they hold, where their state was made, and what moved since."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from devlint.event import RawState, SplitStep, StaleStep
from devlint.facts.effect import Opaque
from devlint.interpret.core import module_state
from devlint.interpret.core.call import NO_ARGUMENTS, Arguments, Call
from devlint.interpret.core.containers import key_text
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Made, Restored, outermost
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.core.signals import OptimizerMade
from devlint.interpret.objects.optimized_models import is_given, stays, unmoved, whereabouts
from devlint.lower import ir
from devlint.queries.name_conventions import is_name, is_self, written
from devlint.values.alternatives import Either, possible_objects
from devlint.values.device import META, UNKNOWN, Device
from devlint.values.instance import Instance, Key, changed
from devlint.values.origin import Origin
from devlint.values.payload import Payload
from devlint.values.tags import Tag
from devlint.values.value import NOTHING, Kind, Value

OPTIMIZER = "optimizer"
#: Optimizers whose state is made with them, not by their first step (PyTorch 2.13).
EAGER = frozenset({"Adagrad"})


@dataclass(frozen=True, slots=True)
class Holdings(Payload):
    """The submodules of a module that hold parameters, by what holds them under which name."""

    held: frozenset[tuple[tuple[Hashable, Key], Hashable]]


@dataclass(frozen=True, slots=True)
class Held(Tag):
    """What an optimizer has of each module: its `parameters`, as they were when they were given
    to it, and the `state` for them."""

    parameters: Mapping[Hashable, Value]
    state: Mapping[Hashable, Value] = field(default_factory=dict)

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag:
        if not isinstance(other, Held):
            return self
        return Held(
            joined_values(self.parameters, other.parameters, test),
            joined_values(self.state, other.state, test),
        )

    def given(self, test: Hashable, truth: bool) -> Tag:
        parameters = changed(self.parameters, lambda value: value.given(test, truth))
        state = changed(self.state, lambda value: value.given(test, truth))
        is_same = parameters is self.parameters and state is self.state
        return self if is_same else Held(parameters, state)

    def escaped(self) -> Tag:
        """Whatever it holds may have been changed by hand."""
        parameters, state = self.parameters.items(), self.state.items()
        return Held(
            {whole: module_state.escaped_item(value) for whole, value in parameters},
            {whole: module_state.escaped_item(value) for whole, value in state},
        )


def joined_values(
    one: Mapping[Hashable, Value], other: Mapping[Hashable, Value], test: Hashable | None
) -> Mapping[Hashable, Value]:
    both = {key: one[key].join(other[key], test) for key in one.keys() & other.keys()}
    return {**other, **one, **both}


def is_optimizer(value: Value) -> bool:
    return value.kind is Kind.OBJECT and value.payload == OPTIMIZER


def built(machine: Run, fact: Opaque, call: Call) -> Value:
    """An optimizer refers to the modules whose parameters it was given."""
    node = call.node
    given = call.arguments.get(0, "params")
    if given is None:
        return Value(Kind.OBJECT, payload=fact.kind)
    found = list(module_state.parts(machine, given.value, set()))
    machine.publish(OptimizerMade(call, found))
    wholes = dict.fromkeys(
        p.payload.whole for p in found if isinstance(p.payload, module_state.PartOf)
    )
    held = Held({whole: parameters_of(machine, whole, node) for whole in wholes if whole})
    optimizer = machine.make(node, Instance(fact, tags=(held,)), Kind.OBJECT)
    if has_no_state(call.name, call.arguments):
        return replace(optimizer, payload=fact.kind)
    placed = [(part.device, part.origin) for part in found]
    device, origin = next((p for p in placed if p[0].is_accelerator), (UNKNOWN, None))
    made = replace(optimizer, device=device, payload=fact.kind, origin=origin)
    machine.store(made.ref, replace(machine.instance(made.ref), holds_state=True))
    if call.name.rpartition(".")[2] in EAGER:
        fill(machine, made, node, "made here, with its state")
    return made


def parameters_of(machine: Run, whole: Hashable, node: ir.Node) -> Value:
    device, _ = whereabouts(machine, whole)
    origin = Origin(node, "made here", machine.frame.path)
    payload = Holdings(frozenset(holdings(machine, whole).items()))
    return Value(Kind.TENSOR, device, payload=payload, origin=origin)


def has_no_state(name: str, arguments: Arguments) -> bool:
    """Plain SGD keeps no tensors."""
    if not name.endswith(".SGD") or arguments.is_open:
        return False
    momentum = arguments.get(2, "momentum")
    return momentum is None or momentum.value.payload in (0, 0.0)


def called(machine: Run, call: Call) -> Value:
    """A method of an optimizer."""
    name, receiver = call.name, call.receiver
    if name == "step":
        loss = closed(machine, call)
        step(machine, receiver, call.node)
        return loss
    if name == "load_state_dict":
        fill(machine, receiver, call.node, "loaded here", is_anew=True)
    elif name == "add_param_group":
        forget(machine, receiver)
    return NOTHING


def closed(machine: Run, call: Call) -> Value:
    """What a closure gives that a step calls."""
    given = call.arguments.get(0, "closure")
    return NOTHING if given is None else machine.apply(call.node, given.value, NO_ARGUMENTS)


def instances(machine: Run, optimizer: Value) -> Iterator[tuple[Hashable, Instance]]:
    """An optimizer, or all that it may be."""
    for ref in possible_objects(optimizer.ref):
        if machine.has_instance(ref):
            yield ref, machine.instance(ref)


def standing(machine: Run, optimizer: Value) -> Hashable:
    """Where the parameters of an optimizer are, and where its state for them is."""
    return tuple(
        (whereabouts(machine, whole)[0], held.state.get(whole, NOTHING).device)
        for held in (held_by(instance) for _, instance in instances(machine, optimizer))
        for whole in held.parameters
    )


def held_by(instance: Instance) -> Held:
    return instance.tag(Held) or Held({})


def fill(
    machine: Run, optimizer: Value, node: ir.Node, text: str, *, is_anew: bool = False
) -> None:
    """State is made where the parameters are at that moment, unless there is some."""
    for ref, instance in instances(machine, optimizer):
        if not instance.holds_state:
            continue
        held = held_by(instance)
        state = dict(held.state)
        for whole in held.parameters:
            if is_anew or whole not in state:
                device, move = whereabouts(machine, whole)
                if move is None and not device.is_known and is_given(whole):
                    device = unmoved(whole)
                origin = Origin(node, text, machine.frame.path)
                state[whole] = Value(Kind.TENSOR, device, origin=origin)
        machine.store(ref, instance.tagged(replace(held, state=state)))


def carried(machine: Run, optimizer: Value, device: Device, origin: Origin) -> None:
    """What state there is moves by itself, wherever the parameters are."""
    for ref, instance in instances(machine, optimizer):
        held = held_by(instance)
        state = {
            whole: replace(value, device=device, origin=origin)
            for whole, value in held.state.items()
        }
        machine.store(ref, instance.tagged(replace(held, state=state)))


def forget(machine: Run, optimizer: Value) -> None:
    """Whatever it holds may have been changed by hand."""
    module_state.escape(machine, optimizer)


def step(machine: Run, optimizer: Value, node: ir.Node) -> None:
    """Parameters and state meet, and state is made where there is none."""
    for _, instance in instances(machine, optimizer):
        for whole in held_by(instance).parameters:
            compare(machine, instance, whole, node)
    fill(machine, optimizer, node, "made by this step")


def handed(machine: Run, node: ir.Call, arguments: Arguments) -> None:
    """What trains steps each optimizer that it is given."""
    for argument in arguments:
        if is_optimizer(argument.value):
            step(machine, argument.value, node)


def compare(machine: Run, optimizer: Instance, whole: Hashable, node: ir.Node) -> None:
    device, move = whereabouts(machine, whole)
    held = held_by(optimizer).parameters[whole]
    state = held_by(optimizer).state.get(whole)
    if move is None or held.origin is None:
        return
    if held.device == META and device.is_known and device != META:
        machine.emit(StaleStep(node, held.origin, move, None))
    elif state is not None and state.origin is not None and stays(state.device, whole, device):
        machine.emit(SplitStep(node, state.origin, state.device, device, move))
    elif isinstance(held.payload, Holdings) and held.device.is_known:
        for name, origin in replaced(machine, whole, dict(held.payload.held)):
            machine.emit(StaleStep(node, held.origin, origin, name))


def restored(machine: Run, node: ir.Call, arguments: Arguments) -> None:
    """`load_state_dict` puts what it is given where the parameters are."""
    given = arguments.get(0, "state_dict")
    if given is not None and given.value.ref is not None:
        machine.notes.restored[outermost(given.value.ref)] = Restored(node, given.value.device)


def written_back(machine: Run, target: ir.Subscript, value: Value) -> None:
    """`optimizer.state[parameter] = state`, or an entry of that, as the file has it."""
    whole = target.value.value if isinstance(target.value, ir.Subscript) else target.value
    if not isinstance(whole, ir.Attribute) or whole.name != "state" or value.ref is None:
        return
    before = machine.notes.restored.get(outermost(value.ref))
    if before is None or not is_called_on(before.node, whole.value):
        return
    if value.device == before.device:
        machine.emit(RawState(target, before.node, written(whole.value)))


def is_called_on(call: ir.Call, whole: ir.Expression) -> bool:
    """Whether a method is called on an object, by its text, or for it on that of its base."""
    receiver = call.func.value if isinstance(call.func, ir.Attribute) else call.func
    is_base = isinstance(receiver, ir.Call) and is_name(receiver.func, "super")
    return (is_base and is_self(whole)) or written(receiver) == written(whole)


def holdings(machine: Run, whole: Hashable) -> dict[tuple[Hashable, Key], Hashable]:
    """The submodules known to hold parameters, by what holds them under which name."""
    found: dict[tuple[Hashable, Key], Hashable] = {}
    if isinstance(whole, Either):
        return found
    for part in module_state.parts(machine, Value(Kind.MODULE, ref=whole), set()):
        for key, item in machine.instance(part.ref).contents:
            if is_own(item) and any(module_state.state_devices(machine, item)):
                found[part.ref, key] = item.ref
    return found


def is_own(item: Value) -> bool:
    """Whether a submodule was assigned in view, and is no copy of another."""
    is_made = isinstance(item.ref, (ir.Call, Made))
    return item.kind is Kind.MODULE and is_made


def replaced(
    machine: Run, whole: Hashable, before: dict[tuple[Hashable, Key], Hashable]
) -> Iterator[tuple[str, Origin]]:
    """The submodules of a module that were assigned since, and moved with it."""
    for (holder, key), ref in holdings(machine, whole).items():
        is_in_view = isinstance(machine.instance(holder).type, ClassInfo | None)
        was_there = (holder, key) in before
        instance = machine.instance(ref)
        if before.get((holder, key)) == ref or (is_in_view and not was_there):
            continue
        if instance.origin is not None and not machine.instance(holder).attaches:
            yield key_text(key), instance.origin
