"""Classes that no code in view makes objects of, with each of their methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from devlint.interpret.calls.activation import run
from devlint.interpret.calls.construct import is_inert, kind_of
from devlint.interpret.calls.given_devices import is_definite
from devlint.interpret.calls.symbolic_arguments import symbols
from devlint.interpret.core import class_summary, module_state
from devlint.interpret.core.attachments import use, use_by
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.interpret.core.signals import ClassExamined, ClassExamining, MethodsExamining
from devlint.interpret.language.attribute_writes import AttributeWrites
from devlint.interpret.language.entry_functions import examine
from devlint.interpret.language.entry_order import in_order, is_open
from devlint.interpret.language.template_methods import (
    gives_placed,
    inherited,
    may_be_hook,
    template_methods,
)
from devlint.interpret.modules.placed_attributes import PLACES, filled, let_others_move, placed
from devlint.interpret.objects.container_methods import fills
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.annotations import annotated
from devlint.queries.dotted_names import path
from devlint.queries.name_conventions import names_use
from devlint.values.device import like
from devlint.values.instance import Instance
from devlint.values.tags import PerhapsNone
from devlint.values.value import NOTHING, PARAMETER, Value


def examine_class(machine: Run, owner: ClassInfo) -> None:
    """Look at a class by itself: `__init__` first, then each other method on what that made."""
    init = owner.method("__init__")
    # Where the program makes one, what happens to that one decides.
    is_made_in_view = init is not None and init.node in machine.contexts
    if is_made_in_view and is_local(machine, owner) and not owner.is_module:
        return
    asked = ClassExamining(owner)
    machine.publish(asked)
    is_of_interest = not is_inert(machine, owner) or asked.needs_methods
    if not is_of_interest and not asked.needs_object:
        return
    receiver = constructed(machine, owner)
    open_attributes(machine, owner, receiver)
    examined = ClassExamined(owner, receiver)
    machine.publish(examined)
    if not is_of_interest and not examined.needs_methods:
        return
    if not is_made_in_view:
        use_as_made(machine, owner, receiver)
    let_others_move(machine, owner, receiver)
    examine_methods(machine, owner, receiver)


def is_local(machine: Run, owner: ClassInfo) -> bool:
    """Whether nobody out of view can name a class: a function defines it."""
    return owner.frame is not machine.top and not owner.frame.is_class_body


def use_as_made(machine: Run, owner: ClassInfo, receiver: Value) -> None:
    """The methods use what `__init__` has made as it is, unless one of them moves it."""
    moves_later = any(calls_of(each, name) for each in owner.methods.values() for name in PLACES)
    if machine.state is None or moves_later:
        return
    if owner.is_module:
        use_by(machine, receiver, class_summary.readers(owner), owner.node)
    use_elsewhere(machine, owner, receiver)


def examine_methods(machine: Run, owner: ClassInfo, receiver: Value) -> None:
    writes = AttributeWrites(machine, owner, receiver)
    asked = MethodsExamining(owner, receiver)
    machine.publish(asked)
    words = placed_attributes(machine, receiver) | placed(machine, owner)
    words |= asked.words | filled(machine, owner, receiver)
    methods = [each for each in owner.methods.values() if each.name != "__init__"]
    interpreted = [each for each in methods if each.node in machine.contexts]
    hooks = list[Function]()
    own = {each.node for each in methods}
    examined = list[Function]()
    for function in in_order(machine, sorted(methods, key=readiness), own):
        if not is_open(machine, function):
            continue
        examined.append(function)
        writes.begin(function)
        given = examine(machine, function, receiver, words, asked.names)
        if may_be_hook(owner, function) and gives_placed(machine, given):
            hooks.append(function)
        use_elsewhere(machine, owner, receiver)
        writes.end(function)
    for function in writes.again(examined):
        writes.begin(function)
        examine(machine, function, receiver, words, asked.names)
        writes.end(function)
    for function in template_methods(owner, hooks):
        writes.begin(function)
        examine(machine, function, receiver, words, asked.names | {function.name})
        writes.end(function)
    for function in (*interpreted, *inherited(owner)) if asked.again else ():
        writes.begin(function)
        reexamine(machine, function, receiver, asked)


def readiness(function: Function) -> int:
    """Methods that assign attributes come before those that may fill what they hold, and these
    before those that leave both as they are."""
    node = function.node
    if not isinstance(node, ir.Def) or node.stores:
        return 0
    return 1 if fills(node) else 2


def reexamine(machine: Run, function: Function, receiver: Value, asked: MethodsExamining) -> None:
    """Interpret a method that mentions what analyses ask for as it is without its callers in view,
    for them alone."""
    words = set().union(*asked.again.values())
    if isinstance(function.node, ir.Def) and words.isdisjoint(function.node.words):
        return
    machine.asking = frozenset(asked.again)
    examine(machine, function, receiver, words, asked.names)
    machine.asking = None


def placed_attributes(machine: Run, receiver: Value) -> set[str]:
    """The attributes that hold modules which `__init__` has moved, or tensors on a known device
    that are no parameters: moves of the whole leave those where they are."""
    held = machine.instance(receiver.ref).attributes.items()
    return {name for name, item in held if stays(machine, item)}


def stays(machine: Run, item: Value) -> bool:
    return any(
        machine.instance(part.ref).move is not None
        or (part.payload != PARAMETER and is_definite(part.device))
        for part in module_state.parts(machine, item, set())
    )


def use_elsewhere(machine: Run, owner: ClassInfo, receiver: Value) -> None:
    """What a method leaves unmoved in an attribute is used by the methods that call it."""
    for name, held in machine.instance(receiver.ref).attributes.items():
        if not module_state.unmoved(machine, held):
            continue
        calls = [call for other in owner.methods.values() for call in calls_of(other, name)]
        if not any(method_called(call) in PLACES for call in calls):
            found = next((c for c in calls if names_use(method_called(c))), None)
            if found is not None:
                use(machine, held, found)


def calls_of(function: Function, attribute: str) -> list[ir.Call]:
    """The calls of `self.attribute` and of its methods, those in `__init__` left out."""
    if (
        function.name == "__init__"
        or not isinstance(function.node, ir.Def)
        or attribute not in function.node.words
    ):
        return []
    calls = [node for node in walk(function.node) if isinstance(node, ir.Call)]
    return [call for call in calls if path(call)[:2] == ["self", attribute]]


def method_called(call: ir.Call) -> str:
    """The method that is called on the attribute; of the attribute itself, `__call__`."""
    names = path(call)
    return "__call__" if len(names) == 2 else names[2]


def constructed(machine: Run, owner: ClassInfo) -> Value:
    """An object of a class, by `__init__` with unknown arguments."""
    receiver = Value(kind_of(owner), ref=("self", owner.node))
    machine.store(receiver.ref, Instance(owner, attributes=dict(declared(owner, receiver))))
    init = owner.method("__init__")
    if init is not None:
        way = (*machine.frame.path, init.node, owner.node)
        outer, machine.is_of_whole = machine.is_of_whole, owner.is_module
        run(machine, init, symbols(machine, init.node, has_receiver=True), receiver, way)
        machine.is_of_whole = outer
    return receiver


def open_attributes(machine: Run, owner: ClassInfo, receiver: Value) -> None:
    """What `__init__` leaves at None, and no other method assigns, is there for others to set."""
    instance = machine.instance(receiver.ref)
    empty = {name for name, value in instance.attributes.items() if value.is_none}
    empty -= {name for each in owner.definitions if each.name != "__init__" for name in each.stores}
    if empty:
        attributes = {**instance.attributes, **dict.fromkeys(empty, NOTHING)}
        machine.store(receiver.ref, replace(instance, attributes=attributes))


def declared(owner: ClassInfo, receiver: Value) -> Iterator[tuple[str, Value]]:
    """The attributes that a class declares to be tensors, or containers of them."""
    for each in owner.line:
        for name, annotation in each.fields.items():
            found = annotated(annotation)
            if found is not None and found.is_of_tensors and not owner.is_module:
                key = Child(receiver.ref, name)
                value = Value(found.kind, like(key, f"self.{name}"), ref=key)
                yield name, value.tagged(PerhapsNone()) if found.may_be_none else value
