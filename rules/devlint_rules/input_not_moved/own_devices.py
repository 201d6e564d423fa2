"""What is moved to the device of the model that it is given to, and what is left beside it."""

from __future__ import annotations

from devlint.api import (
    Analysis,
    Argument,
    Batch,
    Call,
    Calling,
    ModuleFed,
    Presumption,
    Problem,
    Run,
    ir,
    is_self,
    module_state,
    on,
    written,
)


class OwnDeviceInputs(Analysis[Run]):
    """Reports what stays on the CPU beside what is moved to `model.device`, in a call of that."""

    is_failure = True

    @on(Calling)
    def call(self, signal: Calling) -> None:
        self.give(signal.call)

    @on(ModuleFed)
    def feed(self, signal: ModuleFed) -> None:
        device, _ = module_state.module_device(self.run, signal.module)
        if not device.may_accelerate:
            self.give(signal.call)

    def give(self, call: Call) -> None:
        moved = next((each for each in call.arguments if moved_to(call, each)), None)
        left = next(filter(is_left, call.arguments), None) if moved is not None else None
        if moved is not None and left is not None and self.run.counts(self):
            self.run.report(self, problem(call, moved, left))


def moved_to(call: Call, argument: Argument) -> str | None:
    """What is called, or a method of which is, if an argument has been moved to its device."""
    func, origin = call.node.func, argument.value.origin
    move = None if origin is None else origin.node
    if not isinstance(move, ir.Call) or argument.value.device.is_cpu:
        return None
    given = {written(each) for each in (*move.args, *(value for _, value in move.keywords))}
    models = (func, func.value) if isinstance(func, ir.Attribute) else (func,)
    names = (written(each) for each in models if not is_self(each))
    return next((each for each in names if f"{each}.device" in given), None)


def is_left(argument: Argument) -> bool:
    value = argument.value
    return value.device.is_cpu and isinstance(value.source, Batch)


def problem(call: Call, moved: Argument, left: Argument) -> Problem:
    model = moved_to(call, moved)
    message = (
        f"`{written(left.node)}` is on the CPU and is given to `{written(call.node.func)}` beside "
        f"what is moved to `{model}.device`: on an accelerator this raises, unless `{model}` moves "
        "its input itself"
    )
    known = ((moved.value.origin, "it is moved here"), (left.value.origin, "this is not"))
    related = tuple((origin.node, text) for origin, text in known if origin is not None)
    presumes = (Presumption.PLAIN_MODEL,)
    return Problem(left.node, message, related, severity="warning", presumes=presumes)
