"""Objects of classes that are analysed, as calls make them."""

from __future__ import annotations

from dataclasses import replace

from devlint.facts.effect import Opaque
from devlint.interpret.calls.activation import run
from devlint.interpret.calls.given_devices import is_seeded
from devlint.interpret.calls.inlining import admit, invoke, is_running
from devlint.interpret.calls.symbolic_arguments import symbols
from devlint.interpret.core import batches, module_state
from devlint.interpret.core.call import NO_RECEIVER, Arguments, Call
from devlint.interpret.core.class_summary import making
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Made
from devlint.interpret.core.relevance import builds_layer
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.core.signals import (
    Instantiated,
)
from devlint.interpret.modules import derived
from devlint.interpret.objects import records
from devlint.lower import ir
from devlint.values.device import ON_CPU
from devlint.values.instance import Instance
from devlint.values.tags import Unfollowed
from devlint.values.value import PARAMETER, Kind, Value


def instantiate(
    machine: Run, owner: ClassInfo, arguments: Arguments, node: ir.Node, *, is_sole: bool = True
) -> Value:
    """A new object of a class in view; if that is not the sole one that may be meant there, it has
    a key of its own."""
    key = machine.key(node) if is_sole else Made(node, (*machine.frame.path, owner.node))
    is_made_elsewhere = owner.method("__new__") is not None
    tags = (Unfollowed(),) if is_made_elsewhere else ()
    value = machine.put(key, Instance(owner, tags=tags), kind_of(owner))
    init = owner.method("__init__")
    is_given_generator = any(a.value.kind is Kind.GENERATOR for a in arguments)
    if init is not None:
        if is_given_generator or not (is_of_whole(machine) and is_shell(machine, owner)):
            invoke(machine, init, arguments, node, value, is_certain=True)
        elif builds_layer(init.node) and is_inert(machine, owner):
            machine.store(value.ref, replace(machine.instance(value.ref), holds_state=True))
    else:
        held = {**records.own(machine, owner, node), **fields(owner, arguments)}
        items = records.in_places(owner.parameters, held) if owner.is_tuple else {}
        instance = machine.instance(value.ref)
        machine.store(value.ref, replace(instance, attributes=held, items=items))
        if isinstance(node, ir.Call):
            call = Call(node, "__init__", NO_RECEIVER, arguments)
            derived.inherited(machine, owner, value, call)
        if (after := owner.method("__post_init__")) is not None:
            invoke(machine, after, Arguments(), node, value, is_certain=True)
    if gives_data(machine, owner):
        machine.store(value.ref, replace(machine.instance(value.ref), device=ON_CPU))
        value = replace(value, device=ON_CPU, payload=batches.DATASET)
    if owner.is_module:
        share_parameters(machine, arguments, value)
    machine.publish(Instantiated(owner, value))
    if owner.is_module and is_given_generator:
        examine_forward(machine, owner, value, node)
    return value


def is_of_whole(machine: Run) -> bool:
    """Whether a module is being made for itself which has not moved itself so far: what is made for
    it is where it is."""
    whole = machine.frame.receiver
    is_moved = whole is not None and machine.instance(whole.ref).move is not None
    return machine.is_of_whole and not is_moved


def share_parameters(machine: Run, arguments: Arguments, module: Value) -> None:
    """A parameter that a module is given, and keeps, moves with it, whoever else has it; one out
    of view is taken to keep all."""
    instance = machine.instance(module.ref)
    is_outer = isinstance(instance.type, module_state.Outer)
    kept = {item.origin for _, item in instance.contents if item.payload == PARAMETER}
    for each in arguments:
        if each.value.payload != PARAMETER or not (is_outer or each.value.origin in kept):
            continue
        part = replace(each.value, payload=module_state.PartOf(module.ref))
        match each.node:
            case ir.Name(id=name):
                machine.bind(name, part)
            case ir.Attribute(value=ir.Name() as whole, name=name):
                ref = machine.evaluate(whole).ref
                machine.store(ref, machine.instance(ref).holding(name, part))


def fields(owner: ClassInfo, arguments: Arguments) -> dict[str, Value]:
    """The attributes that an object has from its construction, where no constructor is in view:
    what is given, as to a dataclass, or by the name of an attribute of the class; of the other
    fields anything, if there may be more."""
    others = [name for each in owner.line for name in each.attributes]
    return records.by_name(owner.parameters, arguments, others)


def gives_data(machine: Run, owner: ClassInfo) -> bool:
    """Whether it derives from a data set of a library, and leaves to that what its items are."""
    if owner.is_module or any(map(owner.method, ("__getitem__", "__iter__"))):
        return False
    found = map(machine.libraries.fact, owner.imported_bases)
    return any(isinstance(each, Opaque) and each.kind == batches.DATASET for each in found)


def is_shell(machine: Run, owner: ClassInfo) -> bool:
    """Whether parts of a module that is made for itself may stay empty: what does nothing with
    devices, and what is defined in another file, where it is looked at by itself, unless it keeps
    tensors that it makes, which may meet other parts."""
    is_far = owner.frame.top is not machine.home.frame
    return (is_far and owner.node.name not in machine.seeds.makers) or is_inert(machine, owner)


def is_inert(machine: Run, owner: ClassInfo) -> bool:
    """Whether modules of a class make, move and keep nothing on a device of their own."""
    if not owner.is_module or any(is_seeded(machine, each) for each in owner.line):
        return False
    return not machine.once(builds_layers_later, owner, owner)


def builds_layers_later(owner: ClassInfo) -> bool:
    """Whether a method builds layers with parameters once the object has been made."""
    steps = {"__init__", *making(owner)}
    later = [each for each in owner.definitions if each.name not in steps]
    return any(map(builds_layer, later))


def examine_forward(machine: Run, owner: ClassInfo, value: Value, node: ir.Node) -> None:
    """A layer that was given a generator draws from it, on whatever its input is on."""
    forward = owner.method("forward")
    if forward is None:
        return
    state = machine.here()
    machine.state = state.fork()
    way = (*machine.frame.path, node, forward.node)
    if not is_running(machine, forward) and admit(machine, forward, way):
        run(machine, forward, symbols(machine, forward.node, has_receiver=True), value, way)
    machine.state = state


def kind_of(owner: ClassInfo) -> Kind:
    return Kind.MODULE if owner.is_module else Kind.OBJECT
