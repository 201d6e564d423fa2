"""Tensors that nobody placed, where they meet what is on the device of an argument or module."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple, TypeAlias

from devlint.api import (
    CPU,
    Analysis,
    ByParameter,
    Condition,
    Device,
    Ended,
    Exported,
    Factory,
    Fix,
    Kind,
    Like,
    Meeting,
    Operand,
    Presumption,
    Problem,
    RandomDraws,
    Run,
    Safety,
    Sample,
    Sense,
    Taken,
    Value,
    device_expressions,
    ir,
    is_certain_tensor,
    is_of_given_model,
    is_unaware,
    loop_moves,
    maker,
    moved_to,
    on,
    on_paths,
    outermost,
    with_keyword,
)
from devlint_rules.tensor_without_device.callers import (
    is_asked_for_device,
    is_before_moves,
    is_called_on_data,
    is_of_caller,
    is_own,
    placed,
)
from devlint_rules.tensor_without_device.exported_arguments import Way, is_bound, source_of

#: What puts a tensor on the CPU without saying so.
Made: TypeAlias = Factory | ByParameter


class Found(NamedTuple):
    """What is a problem unless an argument, the `source` of a device, is on the CPU."""

    source: Hashable
    way: Way
    problem: Problem


class UnplacedTensors(Analysis[Run]):
    """Reports which operands of an operation were left on the CPU."""

    needs = (RandomDraws,)
    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.found: list[Found] = []
        #: The ways to where arrays are made of what is on the device of an argument.
        self.exports: dict[ir.Parameter, list[Way]] = {}
        #: Devices of which two have met: they are one, or that has raised.
        self.met: set[frozenset[Device]] = set()

    @on(Meeting)
    def meet(self, signal: Meeting) -> None:
        likes = [each.value.device for each in signal.strict if each.value.device.is_like]
        self.met.update(map(frozenset, combinations(likes, 2)))
        for tensor in signal.strict:
            source = tensor.value.source
            if isinstance(source, Taken) and source.before.is_like and not tensor.is_exempt:
                self.meet_rest(signal, tensor, source)
            if tensor.is_exempt or tensor.value.tag(Sample) is not None:
                continue  # A generator decides where what it draws can be.
            if self.meet_made(signal, tensor):
                return

    def meet_made(self, signal: Meeting, tensor: Operand) -> bool:
        """Whether what was made without a device, be it on one path, meets what is on that of a
        caller, which is noted."""
        sources = (each.value.source for each, *_ in on_paths(tensor) if each.value.device.is_cpu)
        made = next((each for each in sources if isinstance(each, (Factory, ByParameter))), None)
        if made is None:
            return False
        for partner in signal.operands:
            like = left_by(tensor.value.device, partner.value.device)
            if like is None or self.may_be_made_of(tensor, like):
                continue
            if is_placed_by_caller(self.run, partner, like):
                self.find(signal, made, partner, like)
                return True
        return False

    def may_be_made_of(self, tensor: Operand, like: Like) -> bool:
        """Whether something of which nothing is known may be made of a tensor that the function was
        handed."""
        origin, whole = tensor.value.origin, outermost(like.source)
        is_part = whole is not like.source and isinstance(maker(whole), ir.Call)
        path = () if origin is None else origin.path or ()
        is_handed_in = len(path) < len(self.run.frame.path)
        return is_handed_in and (is_part or isinstance(like.source, ir.Name))

    def meet_rest(self, signal: Meeting, tensor: Operand, source: Taken) -> None:
        """What was taken to the CPU meets what comes from the same place, and is still there, or
        what a method of a module asks for its device, or is of a model that the code is given."""
        if not any(each.value.device.is_cpu for each, *_ in on_paths(tensor)):
            return
        others = (each for each in signal.operands if each is not tensor)
        for partner in (each for whole in others for each, *_ in on_paths(whole)):
            device = partner.value.device
            stays = self.are_one(source.before, device) or is_asked_for_device(self.run, device)
            is_found = stays or self.is_of_model(partner.value)
            if is_found and is_certain_tensor(self.run, partner) and self.run.counts(self):
                presumes = () if stays else (Presumption.GIVEN_MODEL,)
                found = taken_problem(signal, source, partner)
                self.run.report(self, replace(found, presumes=presumes))
                return

    def are_one(self, one: Device, other: Device) -> bool:
        return one == other or frozenset((one, other)) in self.met

    def is_of_model(self, value: Value) -> bool:
        """Whether it is of a model that the code is given, which may have been moved by then."""
        if value.device.arms is not None or not is_of_given_model(self.run, value.device):
            return False
        return not is_before_moves(self.run)

    def find(self, signal: Meeting, made: Made, partner: Operand, like: Like) -> None:
        if self.run.counts(self) and not is_moved_later(self.run, signal.node):
            place = device_expressions.beside(self.run, signal.node, made.call, partner, like)
            found = problem(signal, made, partner, like)
            if (call := self.run.call) is not None and call is not signal.node:
                found = replace(found, later=((call, "the model is called here"), *found.later))
            found = replace(found, fix=fix(made, *place), presumes=presumed(self.run, partner))
            self.found.append(Found(like.source, (*self.run.frame.path, signal.node), found))

    @on(Exported)
    def export(self, signal: Exported) -> None:
        """What is made an array raises but on the CPU."""
        value = signal.argument.value
        if signal.fact.of != "self" and value.kind is not Kind.TENSOR:
            return
        source = source_of(value.device)
        if source is not None and not self.run.tolerance:
            way = (*self.run.frame.path, signal.node)
            self.exports.setdefault(source, []).append(way)

    @on(Ended)
    def settle(self, signal: Ended) -> None:
        """Leave out what meets arguments that are on the CPU."""
        for each in sorted(self.found, key=lambda each: len(each.problem.presumes)):
            if not self.is_on_cpu(each):
                self.run.report(self, each.problem)

    def is_on_cpu(self, found: Found) -> bool:
        source = found.source
        return isinstance(source, ir.Parameter) and any(
            is_bound(self.run, source, found.way, way) for way in self.exports.get(source, ())
        )


def is_moved_later(run: Run, node: ir.Node) -> bool:
    """Whether a function moves what it makes of something: it takes that for one on the CPU, but
    for one of a module, which may well be given what is elsewhere."""
    is_of_module = any(owner is not None and owner.is_module for owner in run.owners)
    function = None if is_of_module else run.function
    return function is not None and node in run.once(loop_moves.moved_later, function)


def is_placed_by_caller(run: Run, partner: Operand, *likes: Like) -> bool:
    """Whether a tensor is where an argument or a module is, which may be on an accelerator."""
    return (
        is_certain_tensor(run, partner)
        and any(is_of_caller(run, each) for each in (*likes, *partner.value.device.likes))
        and not is_before_moves(run)
    )


def presumed(run: Run, partner: Operand) -> tuple[Presumption, ...]:
    """What the code of the file calls, and none of it for a model, and what goes through records,
    need not see an accelerator."""
    if any(like.source in run.notes.fed for like in partner.value.device.likes):
        return (Presumption.GIVEN_MODEL,)
    if is_called_on_data(run, partner) and not is_of_given_model(run, partner.value.device):
        return (Presumption.ACCELERATED_CALLER,)
    is_given = not any(is_own(outermost(each.source)) for each in partner.value.device.likes)
    return (Presumption.UNAWARE_CODE,) if is_given and is_unaware(run) else ()


def problem(signal: Meeting, made: Made, partner: Operand, like: Like) -> Problem:
    meets = f"meets {partner.told('a tensor')}, which is {placed(partner, like)}"
    what = f"this tensor is made on the CPU and {meets}"
    if isinstance(made, ByParameter):
        what = f"this leaves `{made.parameter.name}` at the CPU, and what is made there {meets}"
    return Problem(
        made.call,
        f"{what}: on an accelerator this raises",
        later=((signal.node, f"they meet in `{signal.operation}` here"),),
    )


def taken_problem(signal: Meeting, taken: Taken, partner: Operand) -> Problem:
    return Problem(
        taken.call,
        f"this takes to the CPU what meets {partner.told('a tensor')}, which stays "
        f"{placed(partner, partner.value.device.likes[0])}: on an accelerator this raises",
        later=((signal.node, f"they meet in `{signal.operation}` here"),),
    )


def fix(made: Made, place: str | None, is_sure: bool) -> Fix | None:
    """Make it where its partner is; what takes no device is moved there.

    `place` is that device as it can be written there, if it can; `is_sure`: by then it certainly
    is the device of a tensor.
    """
    if place is None:
        return None
    if isinstance(made, ByParameter):
        if made.parameter.kind == "positional":
            return None
        name = made.parameter.name
        change = with_keyword(made.call, name, place)
        risk = "the function may use it for other things as well"
        return Fix(f"say where: `{name}={place}`", (change,), "unsafe", risk)
    safety: Safety = "safe" if is_sure else "unsafe"
    risk = "" if is_sure else "what the device is taken from may not be a tensor"
    if made.takes_device:
        change = with_keyword(made.call, "device", place)
        return Fix(f"make it there: `device={place}`", (change,), safety, risk)
    return Fix(f"move it there: `.to({place})`", (moved_to(made.call, place),), safety, risk)


def left_by(tensor: Device, partner: Device) -> Like | None:
    """What the partner is like, on a path where the tensor is certainly on the CPU."""
    if tensor == partner:
        return None
    for one, other, is_first in ((tensor, partner, True), (partner, tensor, False)):
        if one.arms is None or one.test is None:
            continue
        if one.is_chosen or {*one.test.senses} - {Sense.NOTHING}:
            return None
        for arm, truth in zip(one.arms, (True, False), strict=True):
            rest = other.given(one.test, truth)
            if rest.test is not None and are_of_one_kind(one.test, rest.test):
                rest = rest.given(rest.test, truth)
            like = left_by(arm, rest) if is_first else left_by(rest, arm)
            if like is not None:
                return like
        return None
    if tensor.atoms != {CPU}:
        return None
    return partner.likes[0] if partner.is_like else None


def are_of_one_kind(one: Condition, other: Condition) -> bool:
    """Whether two tests ask of two values if they are arrays: who has arrays hands in nothing
    else. (A list or a number beside a tensor is common.)"""
    keys = (one.key, other.key)
    if not all(isinstance(key, tuple) and key[-1:] == ("numpy.ndarray",) for key in keys):
        return False
    first, second = (key[:2] for key in keys if isinstance(key, tuple))
    return bool(first == second)
