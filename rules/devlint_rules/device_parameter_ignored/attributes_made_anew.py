"""Attributes that a class makes on a device that it is told, and once more on the CPU."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from devlint.api import (
    CPU,
    Analysis,
    AttributeStored,
    Device,
    Ended,
    Factory,
    Kind,
    Presumption,
    Problem,
    Run,
    Transferring,
    Value,
    ir,
    maker,
    module_state,
    on,
    outermost,
)


class Attribute(NamedTuple):
    """An attribute of the objects of a class."""

    owner: ir.Node
    name: str


class Placed(NamedTuple):
    site: ir.Node
    device: str


class Anew(NamedTuple):
    """What a method makes on the CPU, and the objects with which it would be moved."""

    call: ir.Call
    refs: tuple[Hashable, ...]


class AttributesMadeAnew(Analysis[Run]):
    """Reports what a method leaves on the CPU in the place of what `__init__` made elsewhere."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.placed: dict[Attribute, Placed] = {}
        #: What methods store last.
        self.anew: dict[tuple[Attribute, ir.Node], Anew | None] = {}
        self.moved: set[tuple[ir.Node, Hashable]] = set()

    @on(AttributeStored)
    def store(self, signal: AttributeStored) -> None:
        method, owner, receiver = self.running(), self.run.frame.owner, self.run.frame.receiver
        if method is None or owner is None or receiver is None:
            return
        if signal.whole.ref != receiver.ref:
            return
        attribute, device = Attribute(owner.node, signal.name), place(self.run, signal.value)
        if method.name != "__init__":
            if any(is_constructor(each) for each in self.run.running):
                return
            made = maker_of(self.run, signal.value) if device.is_cpu else None
            anew = None if made is None else Anew(made, (signal.value.ref, receiver.ref))
            self.anew[attribute, method] = anew
        elif device.is_known and CPU not in device.atoms and is_made(signal.value):
            self.placed.setdefault(attribute, Placed(signal.site, device.told))

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        method = self.running()
        if method is not None and signal.value.ref is not None:
            self.moved.add((method, outermost(signal.value.ref)))

    def running(self) -> ir.Def | None:
        """The method that runs."""
        running = self.run.function
        return running if isinstance(running, ir.Def) else None

    @on(Ended)
    def end(self, signal: Ended) -> None:
        for (attribute, method), anew in self.anew.items():
            placed = self.placed.get(attribute)
            if placed is None or anew is None:
                continue
            if not any((method, ref) in self.moved for ref in anew.refs):
                self.run.report(self, problem(attribute.name, placed, anew.call))


def is_constructor(running: ir.Node) -> bool:
    """Whether it is `__init__`: what that calls makes an attribute for the first time."""
    return isinstance(running, ir.Def) and running.name == "__init__"


def place(run: Run, value: Value) -> Device:
    """Where a tensor or module is."""
    is_module = value.kind is Kind.MODULE
    return module_state.module_device(run, value)[0] if is_module else value.device


def is_made(value: Value) -> bool:
    """Whether it is made here, and not handed in."""
    made = value.origin.node if value.origin is not None else None
    return value.kind is Kind.MODULE or isinstance(made, ir.Call)


def maker_of(run: Run, value: Value) -> ir.Call | None:
    """The call that has made what a method stores: a tensor of more than one number, or a module
    with parameters."""
    if isinstance(value.source, Factory):
        return None if value.is_scalar else value.source.call
    made = maker(value.ref) if value.kind is Kind.MODULE else None
    return made if isinstance(made, ir.Call) and module_state.holds_cpu_state(run, value) else None


def problem(name: str, placed: Placed, made: ir.Call) -> Problem:
    return Problem(
        made,
        f"`{name}` is made on the CPU here, and on {placed.device} in `__init__`: whoever asks for "
        "another device has it in two places",
        ((placed.site, "made on the device that is asked for here"),),
        presumes=(Presumption.ANOTHER_DEVICE,),
    )
