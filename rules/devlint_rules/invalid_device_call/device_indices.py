"""The numbers of devices that tensors give, which that of the CPU lacks."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Analysis,
    Applying,
    Call,
    DeviceIndex,
    Ended,
    Fix,
    Presumption,
    Problem,
    Run,
    Transferring,
    by_type,
    effect,
    ir,
    is_guard,
    last_word,
    literal_accelerator,
    on,
    replaced,
    walk,
    words_of,
    written,
)
from devlint_rules.invalid_device_call.device_arguments import devices

ASKED = "get_device"


class DeviceIndices(Analysis[Run]):
    """Reports where `x.get_device()` says where to make or put something: on the CPU it is -1."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: The calls that give such numbers.
        self.asked = set[ir.Call]()

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        self.note(signal.call, signal.fact)

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        if signal.call.name != "cuda":
            self.note(signal.call, signal.fact)

    def note(self, call: Call, fact: effect.Fact) -> None:
        for argument in devices(call, fact):
            tag, device = argument.value.tag(DeviceIndex), argument.value.device
            is_certain = device.is_named and device.is_accelerator
            if tag is None or is_certain or self.is_guarded():
                continue
            if isinstance(tag.node, ir.Call) and isinstance(tag.node.func, ir.Attribute):
                self.asked.add(tag.node)

    def is_guarded(self) -> bool:
        """Whether the function that runs asks for where something is, or for an accelerator."""
        scope = self.run.function or self.run.module
        return self.run.once(has_guard, scope)

    @on(Ended)
    def end(self, signal: Ended) -> None:
        """They are one problem of a program, however often it has them."""
        module = self.run.module
        found = [each for each in by_type(module)[ir.Call] if each in self.asked]
        if found:
            is_bound = self.run.once(names_accelerator, module)
            self.run.report(self, problem(found[0], found[1:], is_bound=is_bound))


def has_guard(scope: ir.Node) -> bool:
    """Whether a test in a function has to do with accelerators, or with such a number."""
    nodes = [*walk(scope)]
    tests = [each.test for each in nodes if isinstance(each, (ir.If, ir.Conditional))]
    asked = (each for each in nodes if isinstance(each, ir.Assign))
    names = {n for each in asked if last_word(each.value) == ASKED for n in named(each)}
    return any(is_guard(each) or not words_of(each).isdisjoint({ASKED, *names}) for each in tests)


def named(node: ir.Assign) -> Iterator[str]:
    return (each.id for each in node.targets if isinstance(each, ir.Name))


def names_accelerator(module: ir.Module) -> bool:
    return any(map(literal_accelerator, by_type(module)[ir.Call]))


def problem(first: ir.Call, others: list[ir.Call], *, is_bound: bool) -> Problem:
    """`is_bound`: the program is meant for an accelerator that it names."""
    message = (
        f"`{written(first)}` gives the number of an accelerator, and -1 for the CPU, which is the "
        "number of no device: there this raises"
    )
    changes = [
        replaced(each, f"{written(each.func.value)}.device")
        for each in (first, *others)
        if isinstance(each.func, ir.Attribute)
    ]
    fix = Fix("ask for the device itself", tuple(changes), "safe")
    presumes = (Presumption.OPTIONAL_ACCELERATOR, *((Presumption.PORTABLE,) if is_bound else ()))
    later = tuple((each, "and here") for each in others)
    return Problem(first, message, later=later, severity="warning", fix=fix, presumes=presumes)
