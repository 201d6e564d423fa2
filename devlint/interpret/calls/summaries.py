"""Summaries of methods of other modules that have nothing to do with devices, whoever calls them.

Whether that is so is found out by interpreting a method once, for all that use its module, with
unknown arguments on an object of which nothing is known: the base class of a library is constructed
by each of its subclasses. A call that has nothing to do with tensors, modules and devices then
leaves what the summary says, and is not interpreted again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from devlint.event import Load
from devlint.flow.state import State
from devlint.interpret.calls.activation import is_static, run
from devlint.interpret.calls.given_devices import is_definite, is_device_bound, is_traced
from devlint.interpret.calls.symbolic_arguments import symbols
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.heap import DEFAULT, Lattice
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.module_state import escape, parts
from devlint.interpret.core.object_ids import Made, maker, outermost
from devlint.interpret.core.scopes import ClassInfo, Frame, Function, Record
from devlint.interpret.core.views import View
from devlint.interpret.objects.container_methods import fills
from devlint.interpret.objects.linked_modules import ground, linked
from devlint.interpret.objects.optimizers import is_optimizer
from devlint.interpret.objects.saved_files import PAST
from devlint.lower import ir
from devlint.lower.walk import by_type
from devlint.project.modules import Module
from devlint.values.instance import Instance
from devlint.values.tags import Tag
from devlint.values.value import NOTHING, Kind, OneOf, Value, as_device

#: Kinds of values that are on a device, or name one.
PLACED = frozenset({Kind.TENSOR, Kind.MODULE, Kind.GENERATOR, Kind.DEVICE})
#: Kinds of values that an attribute may have without saying anything of what it is.
PLAIN = frozenset({Kind.UNKNOWN, Kind.CONSTANT, Kind.NUMBER, Kind.CONDITION})


@dataclass(frozen=True, slots=True)
class Blank(Tag):
    """Of an object of which a summary is made, until code out of view gets hold of it."""

    def escaped(self) -> Tag | None:
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What a call leaves, none of which is on a device.

    `attributes` are those of the receiver; those of `empty` hold a list or a dict that was written
    out at a node, without items, and further ones, of the names in `objects`, other objects.
    Something may be put into one of a name in `changed`, something that is made into one of
    `filled`.
    `called` are the functions that ran, `steps` they and the methods that they may come to, `loads`
    the files that they read, `used` the modules of the project that they needed.
    """

    attributes: Mapping[str, Value]
    empty: Mapping[str, ir.Node]
    objects: frozenset[str]
    changed: frozenset[str]
    filled: frozenset[str]
    called: frozenset[ir.Node]
    steps: frozenset[ir.Def]
    loads: Mapping[ir.Node, Load]
    used: tuple[Module, ...]

    def names(self, name: str) -> bool:
        """Whether a step names something, such as a method that a subclass may override."""
        return any(name in each.words for each in self.steps)


def summary_of(
    machine: Run, function: Function, receiver: Value, given: list[Value]
) -> Summary | None:
    """The summary of a call, if there is one that holds for its receiver and what it is given, and
    that leaves out nothing of what the caller's module uses."""
    frame = function.frame
    if frame is not frame.top or frame is machine.home.frame:
        return None
    instance = machine.instance(receiver.ref)
    is_host_only = all(is_quiet(machine, part) for part in held_by(machine, receiver.ref, instance))
    if not is_host_only or not all(is_plain(machine, each) for each in given):
        return None
    found = known(machine, function)
    if found is None or is_overridden(instance, function, found):
        return None
    bound = instance.attributes.keys()
    set_ = found.attributes.keys() | found.empty.keys()
    if bound & (set_ | found.objects | found.filled):
        return None  # What it makes of them is not known.
    objects = found.objects | found.empty.keys()
    return None if objects & attributes_in(machine.home) else found


def apply(
    machine: Run, found: Summary, receiver: Value, function: Function, arguments: Arguments
) -> None:
    """Leave what a call leaves."""
    for node in found.called:
        machine.contexts.setdefault(node, {})
    for module in found.used:
        linked(machine, module)
    machine.notes.loads.update(found.loads)
    for name, value in machine.instance(receiver.ref).attributes.items():
        if name in found.changed and value.kind is Kind.CONTAINER:
            escape(machine, value)
    if found.attributes or found.empty:
        instance = machine.instance(receiver.ref)
        left = {k: as_given(function, arguments, v) for k, v in found.attributes.items()}
        attributes = {**instance.attributes, **left, **dict(made(machine, found, receiver))}
        machine.store(receiver.ref, replace(instance, attributes=attributes))


def made(machine: Run, found: Summary, receiver: Value) -> Iterator[tuple[str, Value]]:
    """The lists and dicts that an object gets, each its own."""
    site = maker(receiver.ref)
    if isinstance(site, ir.Call):
        for name, node in found.empty.items():
            ref = Made(node, (*machine.frame.path, site))
            yield name, machine.put(ref, Instance(), Kind.CONTAINER)


def is_plain(machine: Run, value: Value) -> bool:
    """Whether an argument says nothing of devices."""
    is_bound = value.kind in PLACED or is_device_bound(machine, value)
    return not (is_bound or is_optimizer(value) or is_traced(value))


def is_overridden(instance: Instance, function: Function, found: Summary) -> bool:
    """Whether the receiver's class has methods of its own for what is called, or may have."""
    if not isinstance(instance.type, ClassInfo):
        return True
    for each in instance.type.line:
        if each is function.owner:
            return False
        if any(name != "__init__" and found.names(name) for name in each.methods):
            return True
    return True


def attributes_in(view: View) -> frozenset[str]:
    """The names of the attributes that a module asks for or sets."""
    if attributes_in not in view.answers:
        found = by_type(view.module)[ir.Attribute]
        view.answers[attributes_in] = frozenset(each.name for each in found)
    return cast("frozenset[str]", view.answers[attributes_in])


def known(machine: Run, function: Function) -> Summary | None:
    """The summary of a method, made the first time that a run asks for it."""
    answers = machine.view_at(function.frame).answers
    key = (known, function.node)
    if key not in answers:
        answers[key] = None  # What calls itself is interpreted.
        answers[key] = summarised(machine, function)
    return cast("Summary | None", answers[key])


def summarised(machine: Run, function: Function) -> Summary | None:
    """The summary of a method, by interpreting it with unknown arguments on an object without
    attributes; None where something on a device, or of use to others, is left."""
    owner, view = function.owner, machine.view_at(function.frame)
    if owner is None or is_static(function):
        return None
    before, inner, start = len(view.used), machine.beside(view), ground(machine)
    inner.state = start.fork()
    kind = Kind.MODULE if owner.is_module else Kind.OBJECT
    receiver = inner.put(("self", owner.node), Instance(owner, tags=(Blank(),)), kind)
    given = symbols(inner, function.node, has_receiver=True)
    _, written, _ = run(inner, function, given, receiver, (function.node,))
    inner.fall_silent()
    left = inner.instance(receiver.ref)
    if inner.notes.saves or left.tag(Blank) is None:
        return None
    reached = (each for each in written.items() if is_reached(start, receiver.ref, each[0]))
    if not all(leaves_nothing(inner, key, cell) for key, cell in reached):
        return None
    attributes = {name: as_left(v) for name, v in left.attributes.items() if is_simple(v)}
    empty = {name: node for name, v in left.attributes.items() if (node := empty_at(inner, v))}
    called = frozenset({function.node, *inner.contexts})
    passed = steps(owner, called)
    filling = [each.words for each in passed if fills(each)]
    return Summary(
        attributes,
        empty,
        frozenset(left.attributes.keys() - attributes.keys() - empty.keys()),
        frozenset().union(*filling),
        frozenset().union(*filter(inner.seeds.are_in, filling)),
        called,
        passed,
        inner.notes.loads,
        tuple(view.used)[before:],
    )


def empty_at(machine: Run, value: Value) -> ir.Node | None:
    """Where a list or a dict was written out that has no items."""
    node = maker(value.ref)
    is_empty = value.kind is Kind.CONTAINER and machine.instance(value.ref) == Instance()
    return node if is_empty and isinstance(node, (ir.Display, ir.Mapping)) else None


def steps(owner: ClassInfo, called: frozenset[ir.Node]) -> frozenset[ir.Def]:
    """Functions, and the methods of a class that they may come to, by their words."""
    methods = {each.name: each for each in reversed(owner.definitions)}
    pending = [each for each in called if isinstance(each, ir.Def)]
    found = set(pending)
    while pending:
        named = {methods[name] for name in methods.keys() & pending.pop().words} - found
        found |= named
        pending += named
    return frozenset(found)


def is_reached(start: State[Lattice], ref: Hashable, key: Hashable) -> bool:
    """Whether others reach what a call has written: a part of its receiver, whose key is `ref`, or
    of an argument, a name of a module, or what was there before."""
    whole = outermost(key)
    is_given = whole == ref or isinstance(whole, ir.Parameter)
    is_name = isinstance(key, tuple) and isinstance(key[0], Frame) and key[0].parent is None
    is_own = isinstance(key, type) or key in (DEFAULT, PAST)
    return is_given or is_name or is_own or start.get(key) is not None


def leaves_nothing(inner: Run, key: Hashable, cell: Lattice) -> bool:
    """Whether a cell that others reach says nothing of devices."""
    if isinstance(cell, Instance):
        return all(is_quiet(inner, part) for part in held_by(inner, key, cell))
    return isinstance(cell, Value) and key != DEFAULT and is_quiet(inner, cell)


def held_by(machine: Run, key: Hashable, cell: Instance) -> Iterator[Value]:
    """An object, and all that it holds."""
    yield Value(ref=key)
    for _, item in cell.contents:
        yield from parts(machine, item, {key})


def is_quiet(machine: Run, part: Value) -> bool:
    """Whether something is nowhere, and has not been moved."""
    instance = machine.instance(part.ref)
    if instance.move is not None or instance.attaches or is_definite(instance.device):
        return False
    if any(is_closure(item) for _, item in instance.contents):
        return False
    is_bound = part.kind in PLACED or is_definite(part.device) or as_device(part) is not None
    return not (is_bound or is_optimizer(part) or is_traced(part))


def is_closure(value: Value) -> bool:
    """Whether it is a function that holds more than what it is called with."""
    function = value.payload
    if isinstance(function, OneOf):
        return any(map(is_closure, function.values))
    if isinstance(function, Function):
        return function.frame is not function.frame.top
    return value.kind is Kind.FUNCTION and not isinstance(function, Record)


def is_simple(value: Value) -> bool:
    """Whether the attribute of another object may have the same value."""
    is_argument = value.ref is None or isinstance(value.ref, ir.Parameter)
    return value.kind in PLAIN and is_argument and not value.tags


def as_left(value: Value) -> Value:
    """A value without what it says of the arguments that it was made with, but for which of them
    it is."""
    if isinstance(value.ref, ir.Parameter):
        return Value(ref=value.ref)
    return value if value.kind in (Kind.CONSTANT, Kind.NUMBER) else NOTHING


def as_given(function: Function, arguments: Arguments, left: Value) -> Value:
    """What an attribute is of which a summary knows that it is an argument, where that is written
    out: it may stand for one way of several."""
    parameter = left.ref
    if not isinstance(parameter, ir.Parameter):
        return left
    if parameter not in function.node.params or arguments.is_open:
        return NOTHING
    given = arguments.get(function.node.params.index(parameter) - 1, parameter.name)
    if given is not None:
        is_text = given.value.kind is Kind.CONSTANT
        return Value(Kind.CONSTANT, payload=given.value.payload) if is_text else NOTHING
    default = parameter.default
    if not isinstance(default, ir.Constant) or default.value is None:
        return NOTHING
    return Value(Kind.CONSTANT, payload=default.value)
