"""Tensors that a module keeps as plain attributes: where they are kept, and what they meet."""

from __future__ import annotations

import re
from dataclasses import replace

from devlint.analyses.bufferable import registration
from devlint.event import Operand, StrayState
from devlint.facts.effect import Container
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.class_summary import methods, stored_outside, summary
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.module_state import Outer, module_device
from devlint.interpret.core.object_ids import outermost
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.queries.name_conventions import last_name, written
from devlint.queries.tensor_evidence import evident_names, is_tensor_type
from devlint.values.device import Device, Like, like
from devlint.values.source import Factory, PlainAttribute
from devlint.values.value import PARAMETER, Kind, Origin, Value

#: Names of counts and positions.
COUNT = re.compile(r"^[ijknT]$|(^|_)(n|num|len|length|size|idx|index|step|epoch|scale|offset)(_|$)")
#: Bases of classes that look after their tensors themselves, or never meet an accelerator.
CAREFUL = ("Metric", "DataModule", "Dataset", "Function", "Optimizer", "Distribution", "Sampler")


def is_given_tensors(owner: ClassInfo) -> bool:
    """Whether `__init__` is given tensors. (What it makes itself is a seed.)"""
    init = owner.method("__init__")
    if not owner.is_module or init is None or "Tensor" not in owner.node.words:
        return False
    return any(is_tensor_type(parameter.annotation) for parameter in init.node.params)


def kept(machine: Run, whole: Value, name: str, value: Value, site: ir.Node) -> Value:
    """A value as a module keeps it that assigns it to its own attribute."""
    receiver = machine.frame.receiver
    if whole.kind is not Kind.MODULE or receiver is None or receiver.ref != whole.ref:
        return value
    is_given = is_argument(value)
    if not is_given and not is_made(value):
        return value
    if not any(isinstance(n, ir.Def) and n.name == "__init__" for n in machine.running):
        return value
    if isinstance(value.source, PlainAttribute):
        return value
    origin = value.origin or Origin(site, "assigned here")
    return replace(value, origin=replace(origin, source=PlainAttribute(name, site, is_given)))


def is_made(value: Value) -> bool:
    """Whether it derives from what a factory made; the weights of layers are parameters."""
    is_tensor = value.kind is Kind.TENSOR and value.payload != PARAMETER
    return is_tensor and value.device.is_cpu and isinstance(value.source, Factory)


def is_argument(value: Value) -> bool:
    """Whether it is an argument as it came, declared to be a tensor."""
    return isinstance(value.ref, ir.Parameter) and is_tensor_type(value.ref.annotation)


def words(machine: Run, owner: ClassInfo, module: Value) -> frozenset[str]:
    """The names of the plain attributes that hold tensors, and of the methods that lead there."""
    found = {
        name
        for name, item in machine.instance(module.ref).attributes.items()
        if isinstance(item.source, PlainAttribute)
    }
    pending = methods(owner) if found else {}
    while leading := [n for n, node in pending.items() if not found.isdisjoint(node.words)]:
        found.update(leading)
        pending = {name: node for name, node in pending.items() if name not in leading}
    return frozenset(found)


def met(machine: Run, node: ir.Node, operation: str, operands: list[Operand]) -> None:
    """Say so where a plain attribute meets what moves with its module or with its input."""
    for operand in operands:
        source = operand.value.source
        if not isinstance(source, PlainAttribute) or operand.is_exempt:
            continue
        if not stays(machine, source, operand.value.device):
            continue
        for partner in operands:
            if partner is not operand and leaves(machine, operand, partner):
                owner = owner_of(machine)
                safety = None if owner is None else registration(owner, source)
                machine.emit(StrayState(node, operation, source, operand, partner, safety))
                return


def handed(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> None:
    """Say so where a plain attribute is handed to a submodule, whose state moves."""
    plain = [a for a in arguments.positional if isinstance(a.value.source, PlainAttribute)]
    stray = [Operand(a.node, written(a.node), a.value) for a in plain]
    if stray and is_submodule(machine, callee):
        device, origin = module_device(machine, callee)
        partner = Value(Kind.TENSOR, device, origin=origin)
        if not device.is_known and machine.frame.receiver is not None:
            partner = replace(partner, device=like(machine.frame.receiver.ref, "self"))
        operands = [*stray, Operand(node.func, written(node.func), partner)]
        met(machine, node, written(node.func), operands)


def is_submodule(machine: Run, callee: Value) -> bool:
    """Whether the module whose method runs holds it, and it has state, as far as can be seen."""
    receiver = machine.frame.receiver
    if receiver is None or callee.ref is None:
        return False
    held = machine.instance(receiver.ref).contents
    instance = machine.instance(callee.ref)
    has_state = instance.holds_state or isinstance(instance.type, Outer | Container)
    return bool(has_state) and any(item.ref == callee.ref for _, item in held)


def stays(machine: Run, source: PlainAttribute, device: Device) -> bool:
    """Whether nothing in view takes the attribute along when its module moves."""
    owner = owner_of(machine)
    if not (device.is_cpu or source.is_given) or owner is None:
        return False
    if not owner.is_module or is_careful(owner):
        return False
    found = summary(machine, owner)
    if found.moves_itself or found.registers(source.name):
        return False
    return is_in_reach(machine, owner) and source.name not in stored_outside(machine)


def owner_of(machine: Run) -> ClassInfo | None:
    """The class of the object whose method runs, if it is in view."""
    receiver = machine.frame.receiver
    type_ = machine.instance(receiver.ref).type if receiver is not None else None
    return type_ if isinstance(type_, ClassInfo) else None


def is_careful(owner: ClassInfo) -> bool:
    names = [base_name(base) for each in owner.line for base in each.node.bases]
    return any(name.endswith(CAREFUL) for name in [owner.node.name, *names])


def base_name(base: ir.Expression) -> str:
    return base_name(base.value) if isinstance(base, ir.Subscript) else last_name(base)


def is_in_reach(machine: Run, owner: ClassInfo) -> bool:
    """Whether a call of the module comes here."""
    reached = summary(machine, owner).reached
    called = [n for n in machine.running if isinstance(n, ir.Def)]
    return any(
        n.name in reached or any(is_tensor_type(p.annotation) for p in n.params) for n in called
    )


def leaves(machine: Run, operand: Operand, partner: Operand) -> bool:
    """Whether the partner is a tensor that moves with the module or its input."""
    if operand.value.device.excludes(partner.value.device):
        return not operand.may_meet(partner)
    atoms = partner.value.device.atoms
    if not atoms or not all(isinstance(atom, Like) for atom in atoms):
        return False
    is_tensor = partner.value.kind is Kind.TENSOR or not partner.is_exempt
    return all(is_input(machine, atom, is_tensor) for atom in atoms if isinstance(atom, Like))


def is_input(machine: Run, atom: Like, is_tensor: bool) -> bool:
    source = outermost(atom.source)
    if not isinstance(source, ir.Parameter):
        return is_tensor
    function = machine.running[0]
    if not isinstance(function, ir.Def) or source not in function.params:
        return False
    return (
        is_tensor
        or is_tensor_type(source.annotation)
        or is_first_input(function, source)
        or source.name in evident_names(machine, function)
    )


def is_first_input(function: ir.Def, parameter: ir.Parameter) -> bool:
    """Whether it is what a module is called with, and nothing says that it is a number."""
    return (
        function.name == "forward"
        and function.params[1:2] == (parameter,)
        and parameter.annotation is None
        and COUNT.search(parameter.name) is None
    )
