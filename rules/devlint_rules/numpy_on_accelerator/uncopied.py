"""Arrays made without a copy, by functions that are meant to run on any device."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace

from devlint.api import (
    Analysis,
    Applying,
    Device,
    Ended,
    Exported,
    Kind,
    Made,
    Operand,
    Presumption,
    Problem,
    Run,
    Transferring,
    as_device,
    ir,
    is_input,
    is_of_given_model,
    is_unaware,
    on,
    outermost,
    upright,
    written,
)
from devlint_rules.numpy_on_accelerator.analysis import copy, maker

#: The tests on the way to a place, and how they came out.
Way = frozenset[tuple[Hashable, bool]]


@dataclass(frozen=True, slots=True)
class Shown:
    """A place that shows that something need not be on the CPU: `how` the program says so, in
    which function."""

    node: ir.Node
    how: str
    way: Way
    function: ir.Node | None


@dataclass(frozen=True, slots=True)
class Export:
    """An array made of what is where one of `sources` is."""

    node: ir.Call | ir.Subscript
    operand: Operand
    sources: tuple[Hashable, ...]
    way: Way
    #: What it takes, if a model has given it, for that to be on an accelerator.
    presumes: tuple[Presumption, ...]
    function: ir.Node | None


class UncopiedExports(Analysis[Run]):
    """Reports arrays of what the same code asks for its device, or copies to the CPU elsewhere."""

    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.shown: dict[Hashable, list[Shown]] = {}
        self.exports: list[Export] = []

    @on(Applying)
    def make(self, signal: Applying) -> None:
        """`torch.zeros(3, device=x.device)` places something beside `x`."""
        given = signal.call.arguments.keywords.get("device")
        device = as_device(given.value) if given is not None else None
        if device is not None:
            self.show(likes(device), signal.call.node, "something is placed beside it here")

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        node = signal.call.node
        if signal.device.is_cpu:
            self.show(likes(signal.value.device), node, "it is copied to the CPU here")
        else:
            self.show(likes(signal.device), node, "something is placed beside it here")

    def show(self, found: tuple[Hashable, ...], node: ir.Node, how: str) -> None:
        shown = Shown(node, how, self.way(), self.run.function)
        for source in found:
            self.shown.setdefault(source, []).append(shown)

    @on(Exported)
    def export(self, signal: Exported) -> None:
        argument = signal.argument
        value = argument.value
        is_tensor = signal.fact.of == "self" or value.kind is Kind.TENSOR
        found = likes(value.device)
        if found and is_tensor and self.run.counts(self):
            operand = Operand(argument.node, written(argument.node), value)
            presumes, function = of_a_model(self.run, value.device), self.run.function
            export = Export(signal.node, operand, found, self.way(), presumes, function)
            self.exports.append(export)

    def way(self) -> Way:
        return frozenset(map(upright, self.run.here().decisions()))

    @on(Ended)
    def settle(self, signal: Ended) -> None:
        given: dict[Hashable, dict[ir.Node, Export]] = {}
        for export in self.exports:
            if export.presumes and self.run.seeds.may_be_moved:
                same = given.setdefault((export.function, export.sources), {})
                same[export.node] = export
            elif (shown := next(self.witnesses(export), None)) is not None:
                self.run.report(self, problem(export, shown))
        for first, *others in map(dict.values, given.values()):
            shown = next(self.witnesses(first), None)
            related = () if shown is None else ((shown.node, shown.how),)
            self.run.report(self, replace(of_model(first, others), related=related))

    def witnesses(self, export: Export) -> Iterator[Shown]:
        """What shows on the same path that the array is made of something on any device. Where
        something was made before, on some path on the CPU perhaps, a test may know of it."""
        for source in export.sources:
            is_given = isinstance(source, ir.Parameter)
            for shown in self.shown.get(source, ()):
                is_same = (
                    not are_apart(shown.way, export.way) if is_given else export.way <= shown.way
                )
                if is_own(source):
                    # What others ask of what they are given says nothing of what a call gave.
                    is_same &= shown.function is export.function
                if is_same and shown.node is not export.operand.node:
                    yield shown


def of_a_model(run: Run, device: Device) -> tuple[Presumption, ...]:
    """What is presumed of the model that has given what is there: the code was given it, or is a
    method of it, or computes its output."""
    if is_of_given_model(run, device):
        model = Presumption.GIVEN_MODEL
    elif is_of_own_model(run, device):
        model = Presumption.MOVED_MODULE
    else:
        return ()
    return (model, Presumption.UNAWARE_CODE) if is_unaware(run) else (model,)


def is_of_own_model(run: Run, device: Device) -> bool:
    """Whether it is where the module is whose method runs, or the input of its forward pass."""
    owners = {("self", each.node) for each in run.owners if each is not None and each.is_module}
    sources = [outermost(like.source) for like in device.likes]
    is_its_own = all(each in owners or is_input(run, each) for each in sources)
    return device.is_like and is_its_own


def is_own(source: Hashable) -> bool:
    """Whether a function came by something itself: it is no argument, nor an attribute of one."""
    whole = outermost(source)
    return isinstance(whole, (ir.Node, Made)) and not isinstance(whole, ir.Parameter)


def are_apart(one: Way, other: Way) -> bool:
    """Whether a test came out one way here and the other there: no run passes both."""
    return any((test, not truth) in other for test, truth in one)


def likes(device: Device) -> tuple[Hashable, ...]:
    """The sources of a device that only the caller knows."""
    return tuple(like.source for like in device.likes) if device.is_like else ()


def of_model(first: Export, others: Iterable[Export]) -> Problem:
    """One finding for all that a function makes arrays of."""
    later = tuple((each.node, "another array is made here") for each in others)
    return replace(beside_model(first, "what is"), later=later)


def beside_model(export: Export, what: str) -> Problem:
    text = export.operand.value.device.likes[0].text
    return Problem(
        export.node,
        f"{maker(export.node)} makes an array of {what} where `{text}` is: with that "
        "on an accelerator this raises, for NumPy reads the memory of the CPU only",
        severity="warning",
        fix=copy(export.operand),
        presumes=export.presumes or (Presumption.GIVEN_MODEL,),
    )


def problem(export: Export, shown: Shown) -> Problem:
    told, origin = export.operand.told("this"), export.operand.value.origin
    if origin is not None and origin.node is shown.node:
        found = beside_model(export, f"{told}, which was moved to")
        return replace(found, related=((shown.node, "it is moved here"),))
    return Problem(
        export.node,
        f"{maker(export.node)} cannot make an array of {told} on an accelerator, and "
        "this code is meant for any device: NumPy reads the memory of the CPU only",
        ((shown.node, shown.how),),
        fix=copy(export.operand),
        presumes=(Presumption.ANY_DEVICE,),
    )
