"""Aliases of buffers: moves replace the buffer, and the alias stays what the buffer was."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.api import (
    PARAMETER,
    Alias,
    Analysis,
    AttributeStored,
    Calling,
    ClassExamining,
    ClassInfo,
    Combined,
    Instantiated,
    MethodsExamining,
    Operand,
    Problem,
    Run,
    Value,
    class_summary,
    ir,
    is_in_reach,
    leading,
    leaves,
    on,
)


class BufferAliases(Analysis[Run]):
    """Reports where an alias of a buffer that `__init__` set meets what moves with the module, or
    takes the place of the buffer."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Where those aliases are assigned that callers in view have placed, or have not.
        self.placed: set[ir.Node] = set()
        self.unplaced: set[ir.Node] = set()

    @on(Instantiated)
    def instantiate(self, signal: Instantiated) -> None:
        for item in self.run.instance(signal.value.ref).attributes.values():
            alias = alias_of(item)
            if alias is not None:
                (self.placed if item.device.may_accelerate else self.unplaced).add(alias.assignment)

    @on(ClassExamining)
    def ask(self, signal: ClassExamining) -> None:
        """A method that makes and moves nothing may use an alias."""
        if signal.owner.is_module and any(
            "register_buffer" in each.node.words for each in signal.owner.line
        ):
            signal.needs_methods = True

    @on(MethodsExamining)
    def ask_again(self, signal: MethodsExamining) -> None:
        """What callers in view do with a method says nothing of what its aliases meet."""
        held = self.run.instance(signal.receiver.ref).attributes.items()
        words = {name for name, item in held if alias_of(item) is not None}
        if words:
            signal.ask_again(self, leading(self.run, signal.owner, words))

    @on(Combined)
    def combine(self, signal: Combined) -> None:
        for operand in signal.operands:
            partners = (each for each in signal.operands if each is not operand)
            if any(self.is_left(operand, partner) for partner in partners):
                self.tell(operand.value, signal.node)
                return

    def is_left(self, operand: Operand, partner: Operand) -> bool:
        """Whether an operand is an alias, of dimensions or of none, that its partner moves away
        from."""
        is_array = operand.value.is_scalar is not True
        return (
            is_array and alias_of(operand.value) is not None and leaves(self.run, operand, partner)
        )

    @on(Calling)
    def register(self, signal: Calling) -> None:
        if signal.call.name == "register_buffer" and signal.call.receiver is not None:
            given = signal.call.arguments.get(1, "tensor")
            if given is not None:
                self.restore(given.value, signal.call.receiver.ref, signal.call.node)

    @on(AttributeStored)
    def store(self, signal: AttributeStored) -> None:
        alias = alias_of(signal.value)
        if alias is not None and alias.buffer == signal.name:
            self.restore(signal.value, signal.whole.ref, signal.site)

    def restore(self, value: Value, whole: Hashable, node: ir.Node) -> None:
        """The alias becomes a buffer of its module once more, wherever that is by now."""
        alias = alias_of(value)
        if alias is not None and alias.whole == whole:
            self.tell(value, node)

    def tell(self, value: Value, use: ir.Node) -> None:
        alias = alias_of(value)
        if alias is None or not stays(self.run, alias, value):
            return
        if alias.assignment in self.placed - self.unplaced:
            return
        message = (
            f"`self.{alias.name}` stays the tensor that `self.{alias.buffer}` is now: a move of "
            "the module replaces the buffer, and leaves this one on the CPU"
        )
        used = ((use, "used here, beside what was moved"),)
        self.run.report(self, Problem(alias.assignment, message, later=used, fault=use))


def alias_of(value: Value) -> Alias | None:
    """The alias of a buffer that a value is, or is made of where that is."""
    source = value.source
    return source if isinstance(source, Alias) and value.payload != PARAMETER else None


def stays(run: Run, alias: Alias, value: Value) -> bool:
    """Whether it is still the tensor that was the buffer when `__init__` ran."""
    owner = run.instance(alias.whole).type
    if not isinstance(owner, ClassInfo) or not is_in_reach(run, owner):
        return False
    is_there = value.device.is_known is alias.is_placed and not value.device.may_accelerate
    return is_there and is_kept(run, owner, alias.name)


def is_kept(run: Run, owner: ClassInfo, name: str) -> bool:
    """Whether nothing in view sets the alias anew, registers it or moves it."""
    known = class_summary.summary(run, owner)
    if known.moves_itself or known.registers(name) or name in class_summary.stored_outside(run):
        return False
    others = [method for key, method in class_summary.methods(owner).items() if key != "__init__"]
    return not any(name in method.stores for method in others)
