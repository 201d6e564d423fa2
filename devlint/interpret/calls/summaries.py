"""Summaries of methods of other modules that have nothing to do with devices, whoever calls them.

Whether that is so is found out by interpreting a method once, for all that use its module, with
unknown arguments: the base class of a library is constructed by each of its subclasses. A call that
is given nothing on a device then leaves what the summary says, and is not interpreted again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from devlint.event import Load
from devlint.interpret.calls.activation import is_static, run
from devlint.interpret.calls.relevant_calls import is_device_bound, is_seeded, is_traced
from devlint.interpret.calls.symbolic_arguments import symbols
from devlint.interpret.core.heap import DEFAULT, Lattice
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.module_state import parts
from devlint.interpret.core.object_ids import outermost
from devlint.interpret.core.scopes import ClassInfo, Frame, Function
from devlint.interpret.core.views import View
from devlint.interpret.objects.imported_modules import ground, linked
from devlint.interpret.objects.optimizers import is_optimizer
from devlint.interpret.objects.saved_files import PAST
from devlint.lower import ir
from devlint.lower.walk import by_type
from devlint.project.modules import Module
from devlint.values.device import Device, Like
from devlint.values.instance import Instance
from devlint.values.value import NOTHING, Kind, Value, as_device

#: Kinds of values that are on a device, or name one.
PLACED = frozenset({Kind.TENSOR, Kind.MODULE, Kind.GENERATOR, Kind.DEVICE})
#: Kinds of values that an attribute may have without saying anything of what it is.
PLAIN = frozenset({Kind.UNKNOWN, Kind.CONSTANT, Kind.NUMBER, Kind.CONDITION})


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What a call leaves, none of which is on a device.

    `attributes` are those of the receiver; further ones, of the names in `objects`, hold objects.
    `called` are the functions that ran, `loads` the files that they read, `used` the modules of the
    project that they needed.
    """

    attributes: Mapping[str, Value]
    objects: frozenset[str]
    called: frozenset[ir.Node]
    loads: Mapping[ir.Node, Load]
    used: tuple[Module, ...]

    def may_call(self, name: str) -> bool:
        """Whether what ran may call a method of that name, in the place of its own."""
        is_own = name == "__init__"
        return not is_own and any(isinstance(n, ir.Def) and name in n.words for n in self.called)


def summary_of(
    machine: Run, function: Function, receiver: Value, given: list[Value]
) -> Summary | None:
    """The summary of a call, if there is one, and it says all that matters to the caller."""
    frame = function.frame
    if frame is not frame.top or frame is machine.home.frame:
        return None
    if not is_host_only(machine, receiver) or not all(is_plain(machine, each) for each in given):
        return None
    found = known(machine, function)
    if found is None or is_overridden(machine, function, receiver, found):
        return None
    return None if found.objects & attributes_in(machine.home) else found


def apply(machine: Run, found: Summary, receiver: Value) -> None:
    """Leave what a call leaves."""
    for node in found.called:
        machine.contexts.setdefault(node, {})
    for module in found.used:
        linked(machine, module)
    machine.notes.loads.update(found.loads)
    if found.attributes:
        instance = machine.instance(receiver.ref)
        attributes = {**instance.attributes, **found.attributes}
        machine.store(receiver.ref, replace(instance, attributes=attributes))


def is_host_only(machine: Run, value: Value) -> bool:
    """Whether nothing that an object consists of has been moved, or may be on an accelerator."""
    for part in parts(machine, value, set()):
        instance = machine.instance(part.ref)
        is_moved = instance.move is not None or instance.device.may_accelerate
        if is_moved or part.device.may_accelerate or as_device(part) is not None:
            return False
    return True


def is_plain(machine: Run, value: Value) -> bool:
    """Whether an argument says nothing of devices."""
    is_bound = value.kind in PLACED or is_device_bound(machine, value)
    return not (is_bound or is_optimizer(value) or is_traced(value))


def is_overridden(machine: Run, function: Function, receiver: Value, found: Summary) -> bool:
    """Whether the receiver's class defines methods that are called, and have to do with devices."""
    owner = machine.instance(receiver.ref).type
    if not isinstance(owner, ClassInfo):
        return True
    for each in owner.line:
        if each is function.owner:
            return False
        own = (method for name, method in each.methods.items() if found.may_call(name))
        if any(is_seeded(machine, method) for method in own):
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
    """The summary of a method, by interpreting it with unknown arguments; None where something on
    a device, or of use to others, is left."""
    owner, view = function.owner, machine.view_at(function.frame)
    if owner is None or is_static(function):
        return None
    before, inner = len(view.used), machine.beside(view)
    inner.state = ground(machine).fork()
    kind = Kind.MODULE if owner.is_module else Kind.OBJECT
    receiver = inner.put(("self", owner.node), Instance(owner), kind)
    given = symbols(inner, function.node, has_receiver=True)
    _, written = run(inner, function, given, receiver, (function.node,))
    inner.fall_silent()
    is_quiet_call = all(leaves_nothing(inner, receiver.ref, *each) for each in written.items())
    if inner.notes.saves or not is_quiet_call:
        return None
    held = inner.instance(receiver.ref).attributes
    attributes = {name: as_left(value) for name, value in held.items() if is_simple(value)}
    called = frozenset({function.node, *inner.contexts})
    return Summary(
        attributes,
        frozenset(held.keys() - attributes.keys()),
        called,
        inner.notes.loads,
        tuple(view.used)[before:],
    )


def leaves_nothing(inner: Run, ref: Hashable, key: Hashable, cell: Lattice) -> bool:
    """Whether a cell that was written says nothing of devices, or is no part of the receiver (its
    key is `ref`) nor of an argument."""
    if key in (DEFAULT, PAST) or isinstance(key, type):
        return False
    if isinstance(cell, Instance):
        whole = outermost(key)
        is_reached = whole == ref or isinstance(whole, ir.Parameter)
        return not is_reached or all(is_quiet(inner, part) for part in held_by(inner, key, cell))
    is_global = isinstance(key, tuple) and isinstance(key[0], Frame) and key[0].parent is None
    return not is_global or not isinstance(cell, Value) or is_quiet(inner, cell)


def held_by(inner: Run, key: Hashable, cell: Instance) -> Iterator[Value]:
    """An object, and all that it holds."""
    yield Value(ref=key)
    for _, item in cell.contents:
        yield from parts(inner, item, {key})


def is_quiet(inner: Run, part: Value) -> bool:
    """Whether something that is left is nowhere, and has not been moved."""
    instance = inner.instance(part.ref)
    if instance.move is not None or instance.attaches or is_placed(instance.device):
        return False
    is_bound = part.kind in PLACED or is_placed(part.device) or as_device(part) is not None
    return not (is_bound or is_optimizer(part) or is_traced(part))


def is_placed(device: Device) -> bool:
    return any(not isinstance(atom, Like) for atom in device.possible())


def is_simple(value: Value) -> bool:
    """Whether the attribute of another object may have the same value."""
    is_argument = value.ref is None or isinstance(value.ref, ir.Parameter)
    return value.kind in PLAIN and is_argument and not value.tags


def as_left(value: Value) -> Value:
    """A value without what it says of the arguments that it was made with."""
    is_constant = value.kind in (Kind.CONSTANT, Kind.NUMBER) and value.ref is None
    return value if is_constant else NOTHING
