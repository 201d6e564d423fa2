"""What is a device by its name or its use, and how the program writes its device at a place, for
fixes that name it there."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.event import Operand
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.annotations import is_tensor_type
from devlint.queries.destinations import Scope, destinations
from devlint.queries.dotted_names import is_path
from devlint.queries.name_conventions import names_device, names_device_variable, written
from devlint.queries.tensor_evidence import TENSOR_WORDS, bound, has_slice
from devlint.values.device import Like
from devlint.values.value import Kind, Value


def device_name(machine: Run) -> str | None:
    """How the program writes the device that it chooses, where it can be written here.

    A function that is given a `map_location` is told by its caller. A name of the module is not
    sure to be bound when a function runs, unless its body binds it under no condition.
    """
    names = {*machine.frame.names}
    if "map_location" in names:
        return "map_location"
    if machine.frame is not machine.top:
        names |= {*bound_by(machine.module.body)}
    named = filter(names_device_variable, sorted(names))
    chosen = [name for name in named if is_chosen(machine.lookup(name))]
    if chosen:
        return "device" if "device" in chosen else chosen[0]
    receiver = machine.frame.receiver
    if receiver is None or machine.lookup("self") is None:
        return None
    held = machine.instance(receiver.ref).attributes.get("device")
    return "self.device" if is_chosen(held) else None


def is_place(run: Run, scope: Scope, name: str, text: str) -> bool:
    """Whether what a scope writes as `text` is a device, by its name or by what is done with it
    there."""
    return names_device(name) or text in run.once(destinations, scope)


def bound_by(body: ir.Block) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ir.Assign):
            yield from (each.id for each in statement.targets if isinstance(each, ir.Name))


def is_chosen(value: Value | None) -> bool:
    return value is not None and value.kind is Kind.DEVICE and value.device.is_accelerator


def beside(
    machine: Run, node: ir.Node, factory: ir.Call, partner: Operand, like: Like
) -> tuple[str | None, bool]:
    """The device of a partner as it can be written in a factory, and whether that is safe there.

    In one expression with the factory the partner is what it is; an argument is so in all of its
    function, unless it is bound anew; one that may be None, or a list, has none.
    """
    whole = unsliced(partner.node)
    is_callee = isinstance(node, ir.Call) and partner.node is node.func
    is_value = partner.value.kind is not Kind.MODULE and not is_callee and is_path(whole)
    if is_value and factory in walk(node):
        return f"{written(whole)}.device", True
    functions = [each for each in machine.running if isinstance(each, ir.Def)]
    source = like.source
    if not functions or not isinstance(source, ir.Parameter) or source not in functions[-1].params:
        return None, False
    function = functions[-1]
    if may_be_none(source) or is_asked_for_its_type(function, source):
        return None, False
    text = source.name if is_tensor(function, source) else written(whole)
    is_given = text == source.name or (is_value and text.startswith(f"{source.name}."))
    if not is_given or factory not in walk(function):
        return None, False
    is_sure = source.name not in bound(walk(function)) and text == source.name
    return f"{text}.device", is_sure


def may_be_none(parameter: ir.Parameter) -> bool:
    """Whether an argument may be left out, or be None by its annotation."""
    annotation = parameter.annotation
    if parameter.default is not None:
        return True
    return annotation is not None and any(
        (isinstance(node, ir.Constant) and node.value is None)
        or (isinstance(node, (ir.Name, ir.Attribute)) and written(node).endswith("Optional"))
        for node in walk(annotation)
    )


def is_asked_for_its_type(function: ir.Def, parameter: ir.Parameter) -> bool:
    """Whether a function is written for arguments of several types."""
    return any(
        isinstance(node, ir.Call)
        and written(node.func).split(".")[-1] in ("isinstance", "is_tensor")
        and any(isinstance(each, ir.Name) and each.id == parameter.name for each in walk(node))
        for node in walk(function)
    )


def is_tensor(function: ir.Def, parameter: ir.Parameter) -> bool:
    """Whether an argument is a tensor, by its annotation or by what the function asks it for; a
    list of tensors is none."""
    return is_tensor_type(parameter.annotation) or any(
        isinstance(node, ir.Attribute)
        and node.name in TENSOR_WORDS
        and isinstance(node.value, ir.Name)
        and node.value.id == parameter.name
        for node in walk(function)
    )


def unsliced(node: ir.Expression) -> ir.Expression:
    """What `x[1:]` is a slice of: a tensor, if the slice is one."""
    while isinstance(node, ir.Subscript) and has_slice(node.index):
        node = node.value
    return node
