"""Arguments that a function takes from the CPU only, and that are where a module's inputs are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from devlint.api import (
    Analysis,
    Applying,
    ClassInfo,
    Ended,
    Kind,
    Mark,
    Meeting,
    MethodsExamining,
    ModuleFed,
    Presumption,
    Problem,
    Run,
    Value,
    bound_to_cpu,
    ir,
    is_in_reach,
    leading,
    on,
    signature,
    written,
)


class Found(NamedTuple):
    """A problem if the inputs that are `sources` are where their module is."""

    sources: frozenset[Hashable]
    problem: Problem


class InputArguments(Analysis[Run]):
    """Reports what is computed of inputs that meet the state of their module, or other inputs."""

    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.found: list[Found] = []
        #: What has met something else that the caller places.
        self.met: set[Hashable] = set()

    @on(MethodsExamining)
    def ask_for_methods(self, signal: MethodsExamining) -> None:
        """One that does nothing else with devices may hand on such an argument, to a part, too."""
        if signal.owner.is_module:
            parts = self.parts(signal.receiver)
            signal.words |= bound_to_cpu() | leading(self.run, signal.owner, parts)

    def parts(self, module: Value) -> set[str]:
        """The names of the parts of a module that bind an argument."""
        held = self.run.instance(module.ref).attributes
        types = {name: self.run.instance(item.ref).type for name, item in held.items()}
        return {name for name, each in types.items() if isinstance(each, ClassInfo) and binds(each)}

    @on(ModuleFed)
    def feed(self, signal: ModuleFed) -> None:
        self.met |= sources(each.value for each in signal.call.arguments)

    @on(Meeting)
    def meet(self, signal: Meeting) -> None:
        if signal.operation == "indexing":
            return  # Indices may be on the CPU wherever the table is.
        values = [each.value for each in signal.operands if each.value.device.is_like]
        if len({each.device for each in values}) > 1:
            self.met |= sources(values)

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        call, listed = signal.call, signal.fact.signature
        owner = self.run.frame.owner
        if Mark.STAYS_ON_CPU.value not in listed or owner is None or not owner.is_module:
            return
        if not is_in_reach(self.run, owner) or not self.run.counts(self):
            return
        for parameter, argument in call.arguments.bound(signature(listed)):
            value = argument.value
            is_input = value.kind is Kind.TENSOR and value.device.is_like
            if parameter.mark is Mark.STAYS_ON_CPU and is_input:
                found = problem(call.node, call.name.rpartition(".")[2], argument.node, value)
                self.found.append(Found(sources([value]), found))

    @on(Ended)
    def settle(self, signal: Ended) -> None:
        for each in self.found:
            if each.sources <= self.met:
                self.run.report(self, each.problem)


def binds(owner: ClassInfo) -> bool:
    """Whether a class uses what takes an argument from the CPU only."""
    return any(not bound_to_cpu().isdisjoint(each.node.words) for each in owner.line)


def sources(values: Iterable[Value]) -> frozenset[Hashable]:
    return frozenset(like.source for each in values for like in each.device.likes)


def problem(call: ir.Call, operation: str, node: ir.Expression, value: Value) -> Problem:
    place = value.device.likes[0].text
    return Problem(
        node,
        f"`{written(node)}` is on the device of `{place}`, and `{operation}` takes it from the CPU "
        "only: on an accelerator this raises",
        later=((call, "taken here: `.cpu()` brings it back"),),
        severity="warning",
        fault=call,
        presumes=(Presumption.MOVED_MODULE,),
    )
