"""Arguments that a function takes from the CPU only."""

from __future__ import annotations

from devlint.api import (
    Analysis,
    Applying,
    Mark,
    Operand,
    Output,
    Problem,
    Run,
    effect,
    ir,
    on,
    operations,
    signature,
    written,
)


class CpuArguments(Analysis[Run]):
    """Reports those that are on an accelerator."""

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        call, listed = signal.call, signal.fact.signature
        if Mark.STAYS_ON_CPU.value not in listed:
            return
        for parameter, argument in call.arguments.bound(signature(listed)):
            value = argument.value
            if isinstance(value.source, Output):
                continue  # Perhaps a list of numbers.
            is_tensor = isinstance(signal.fact, effect.Inert) or operations.is_tensor(value)
            is_bound = parameter.mark is Mark.STAYS_ON_CPU and is_tensor
            if is_bound and value.device.is_accelerator:
                operand = Operand(argument.node, written(argument.node), value)
                name = call.name.rpartition(".")[2]
                self.run.report(self, problem(call.node, name, operand))


def problem(call: ir.Call, operation: str, argument: Operand) -> Problem:
    origin = argument.value.origin
    return Problem(
        argument.node if origin is None else origin.node,
        f"`{argument.name}` is on {argument.value.device.accelerated.told}, and "
        f"`{operation}` takes it from the CPU only",
        later=((call, "taken here: `.cpu()` brings it back"),),
        fault=call,
    )
