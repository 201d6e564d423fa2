"""Models out of view that the program leaves on the CPU, or takes back there, though it moves their
input."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from devlint.analyses.inconsistent_inputs import is_moved
from devlint.event import Feed, Operand
from devlint.interpret.core import class_summary, module_state
from devlint.interpret.core.batches import settled
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import maker, outermost
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.core.signals import Called, ModuleFed, Transferring
from devlint.interpret.modules import module_calls
from devlint.interpret.modules.placed_attributes import left
from devlint.lower import ir
from devlint.queries.name_conventions import names_accelerator, names_device, written
from devlint.rule.analysis import Analysis, on
from devlint.values.alternatives import possible_objects
from devlint.values.device import ON_CPU
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.tags import Tag
from devlint.values.value import Kind, Value


@dataclass(frozen=True)
class Unplaced(Tag):
    """Of what code out of view has made of plain arguments, and nobody else has got hold of."""

    __slots__ = ()

    def escaped(self) -> Tag | None:
        return None


class UnplacedModels(Analysis[Run]):
    """Says which models are left where they were made, on the CPU, or taken back there, and given
    what was moved."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: The objects of which a part is moved.
        self.moved: set[Hashable] = set()

    @on(Called)
    def make(self, signal: Called) -> None:
        ref = signal.value.ref
        if signal.callee.kind is not Kind.IMPORTED or ref is None:
            return
        node, instance = signal.call.node, self.run.instance(ref)
        if not takes_no_device(signal.call, instance) or ref != self.run.key(node):
            return
        if any(self.is_placed(each.value) for each in signal.call.arguments):
            return  # A wrapper is where what it wraps is.
        if self.run.default_device(node)[0].is_cpu:
            self.run.store(ref, instance.tagged(Unplaced()))

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        if signal.value.ref is not None:
            self.moved.add(outermost(signal.value.ref))

    @on(ModuleFed)
    def feed(self, signal: ModuleFed) -> None:
        if not self.run.tolerance and (state := self.state(signal.module)) is not None:
            self.meet(signal.call, state)

    def state(self, model: Value) -> Value | None:
        """The parameters of a model that is on the CPU, as it was made or by a move, on some path
        at least."""
        if self.is_left(model) and not self.is_moved_later(model):
            made = maker(possible_objects(model.ref)[0])
            assert isinstance(made, ir.Node), "only what a call has made is tagged"
            origin = Origin(made, "made here, and never moved", self.run.frame.path)
            return Value(Kind.MODULE, ON_CPU, ref=model.ref, origin=origin)
        if not self.was_moved(model):
            return None
        device, moved = module_state.module_device(self.run, model)
        arms = () if device.is_chosen else device.arms or (device,)
        is_back = any(each.is_cpu for each in arms)
        return Value(Kind.MODULE, device, ref=model.ref, origin=moved) if is_back else None

    def meet(self, call: Call, state: Value) -> None:
        for argument in call.arguments:
            value = settled(self.run, argument.value)
            if is_moved(value):
                given = Operand(argument.node, written(argument.node), value)
                module = Operand(call.node.func, written(call.node.func), state)
                path = self.run.frame.path
                event = Feed(call.node, module, (given,), self.run.call, path=path, presumed=True)
                self.run.emit(event)
                return

    def is_placed(self, given: Value) -> bool:
        """Whether an argument was moved, or is a module, which may have been."""
        is_moved = (
            self.run.has_instance(given.ref) and self.run.instance(given.ref).move is not None
        )
        return is_moved or given.device.may_accelerate or module_state.is_module(self.run, given)

    def was_moved(self, model: Value) -> bool:
        """Whether a model of a class out of view was moved, which is a module by what shows."""
        instance = self.run.instance(model.ref)
        is_module = instance.tag(module_calls.Trained) is not None
        is_out_of_view = instance.type is None or isinstance(instance.type, module_state.Outer)
        return is_module and is_out_of_view and instance.move is not None

    def is_left(self, model: Value) -> bool:
        """Whether an object has parameters, and is where it was made."""
        instance = self.run.instance(model.ref)
        is_module = instance.tag(module_calls.Trained) is not None
        is_there = instance.tag(Unplaced) is not None and instance.move is None
        return is_module and is_there and model.ref not in self.moved

    def is_moved_later(self, model: Value) -> bool:
        """Whether the object whose method runs holds a model that may be moved with it, or by
        another method."""
        receiver = self.run.frame.receiver
        if receiver is None:
            return False
        whole = self.run.instance(receiver.ref)
        holding = {name for name, item in whole.attributes.items() if self.holds(item, model)}
        if not holding:
            return False
        owner = whole.type
        if not isinstance(owner, ClassInfo) or not class_summary.is_all_in_view(owner):
            return True
        return not holding <= left(self.run, owner, holding)

    def holds(self, item: Value, model: Value) -> bool:
        """Whether a model, or one that it may be, is in what an attribute holds."""
        meant = {*possible_objects(model.ref)}
        parts = module_state.parts(self.run, item, set())
        return any(not meant.isdisjoint(possible_objects(each.ref)) for each in parts)


def takes_no_device(call: Call, made: Instance) -> bool:
    """Whether a class was told no device for what it has made, nor given an object that may tell
    one; a function nothing but numbers."""
    arguments = call.arguments
    if arguments.is_open or arguments.mapped or any(map(may_place, arguments.keywords)):
        return False
    if any(is_made(each.value) for each in arguments):
        return False
    is_plain = made.type is None and all(each.value.is_number for each in arguments)
    return is_plain or isinstance(made.type, module_state.Outer)


def is_made(value: Value) -> bool:
    """Whether a call has made an object, such as a configuration, of which little is known."""
    is_object = value.kind in (Kind.UNKNOWN, Kind.OBJECT)
    return is_object and isinstance(maker(value.ref), ir.Call)


def may_place(keyword: str) -> bool:
    """Whether an argument of that name may say where something is made."""
    return names_device(keyword) or names_accelerator(keyword)
