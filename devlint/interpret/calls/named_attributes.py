"""Attributes that `getattr`, `setattr` and `__dict__` name."""

from __future__ import annotations

from dataclasses import replace

from devlint.interpret.calls import attributes
from devlint.interpret.calls.assignment import set_attribute
from devlint.interpret.core import batches, containers, module_state
from devlint.interpret.core.arguments import default_of
from devlint.interpret.core.attachments import attach
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.class_summary import opening
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import Calling
from devlint.interpret.modules import own_state
from devlint.interpret.objects.container_methods import by_text
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.values.alternatives import possible_objects
from devlint.values.instance import Instance, ItemKey
from devlint.values.value import NONE, NOTHING, Kind, Value

#: Stands for a name that is not known.
SOME = "some"


def assign(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    if len(arguments.positional) == 3:
        whole, name, value = arguments.positional
        given = replace(arguments, positional=(name, value))
        key = name.value.payload
        if (place := numbered_part(machine, whole.value, key)) is not None:
            label = f"{written(node.func)}(..)"
            attach(machine, whole.value, place, value.value, node, label, value.node)
        elif isinstance(key, str):
            set_attribute(machine, whole.value, key, value.value, node, value.node)
        elif module_state.is_module(machine, value.value):
            set_part(machine, node, whole.value, value)
        else:
            machine.publish(Calling(Call(node, "__setattr__", whole.value, given)))
            if may_be_held(machine, whole.value, opening(name.node)):
                module_state.escape(machine, whole.value)
    return NOTHING


def numbered_part(machine: Run, whole: Value, name: object) -> ItemKey | None:
    """The key of an item of a module that lists others, which have the names `0`, `1`, .."""
    if not isinstance(name, str) or not name.isdecimal():
        return None
    place = ItemKey(int(name))
    return place if place in machine.instance(whole.ref).items else None


def updated(machine: Run, call: Call) -> Value | None:
    """`x.__dict__.update(..)` sets attributes of `x`; None of any other call."""
    if call.name != "update" or not isinstance(call.node.func, ir.Attribute):
        return None
    place = call.node.func.value
    if not isinstance(place, ir.Attribute) or place.name != "__dict__":
        return None
    whole, given = machine.evaluate(place.value), call.arguments
    values = {name: each.value for name, each in given.keywords.items()}
    for each in (*given.positional, *given.mapped):
        items = by_text(machine, each.value)
        if not items:
            module_state.escape(machine, whole)
        values |= {str(key.at): value for key, value in items.items()}
    for name, value in values.items():
        set_attribute(machine, whole, name, value, call.node, None)
    return NONE


def may_be_held(machine: Run, whole: Value, start: str) -> bool:
    """Whether an object may have an attribute whose name starts so."""
    held = machine.instance(whole.ref).attributes
    return not start or any(name.startswith(start) for name in held)


def set_part(machine: Run, node: ir.Call, whole: Value, part: Argument) -> None:
    """A module in the place of some part of another, or of one of several, which is not known."""
    name = f"{written(node.func)}(..)"
    every = possible_objects(whole.ref)
    for ref in every:
        one = replace(whole, ref=ref)
        if len(every) > 1 and not holds_parts(machine, one):
            continue  # A layer, which has no part to replace.
        attach(machine, one, ItemKey(node), part.value, node, name, part.node)


def holds_parts(machine: Run, whole: Value) -> bool:
    contents = machine.instance(whole.ref).contents
    return any(module_state.is_module(machine, each) for _, each in contents)


def read(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    if len(arguments.positional) >= 2:
        whole, name = arguments.positional[:2]
        if (text := named(name.value)) is not None:
            return under(machine, whole, text, node)
        if module_state.is_module(machine, whole.value):
            return some_part(machine, whole.value)
        if (found := some_function(machine, whole.value)) is not None:
            return found
        if whole.value.kind is Kind.UNKNOWN and whole.value.ref is not None:
            return under(machine, whole, SOME, node)
    return machine.make(node, Instance())


def every(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`vars(x)`"""
    given = arguments.positional
    found = attributes.all_of(machine, given[0].value) if len(given) == 1 else None
    return NOTHING if found is None else found


def under(machine: Run, whole: Argument, name: str, node: ir.Expression) -> Value:
    """What an object has under a name; containers of modules call theirs by their positions."""
    if name.isdecimal() and module_state.is_module(machine, whole.value):
        return containers.item(machine, whole.value, int(name), node)
    return attributes.read(machine, ir.Attribute(node.at, whole.node, name), whole.value)


def registered(machine: Run, node: ir.Subscript) -> Value | None:
    """What `module._modules[name]` gives, and its like; None of any other item."""
    place = own_state.registry(machine, node.value)
    if place is None:
        return None
    registry, whole = place
    name = machine.evaluate(node.index).payload
    if registry in ("_parameters", "_buffers"):
        return own_state.state(machine, whole)
    if isinstance(name, str):
        return under(machine, Argument(node.value, whole), name, node)
    if registry == "_modules":
        return some_part(machine, whole)
    return some_function(machine, whole) or NOTHING


def some_function(machine: Run, library: Value) -> Value | None:
    """What a module of a library has under a name that is not known, where a library says of any
    name in it what is called so: `torchvision.models` has models."""
    if library.kind is not Kind.IMPORTED:
        return None
    dotted = f"{library.payload!s}.{SOME}"
    return None if machine.libraries.fact(dotted) is None else replace(library, payload=dotted)


def some_part(machine: Run, whole: Value) -> Value:
    """What a module holds under a name that is not known: one of the modules in it, if any."""
    held = [item for _, item in machine.instance(whole.ref).contents if item.kind is Kind.MODULE]
    return containers.joined(held) if held else batches.some_part(whole)


def named(name: Value) -> str | None:
    """The text that a name is, an argument that nobody in view gives by its default."""
    text = name.payload if isinstance(name.payload, str) else default_of(name)
    return text if isinstance(text, str) else None
