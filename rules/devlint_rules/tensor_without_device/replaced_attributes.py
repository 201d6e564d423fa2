"""Attributes that a method leaves on the CPU, where the object had them where an argument is."""

from __future__ import annotations

from devlint.api import (
    Analysis,
    Factory,
    Meeting,
    Operand,
    Origin,
    Presumption,
    Problem,
    RestoredState,
    Run,
    is_certain_tensor,
    on,
)
from devlint_rules.tensor_without_device.analysis import presumed
from devlint_rules.tensor_without_device.callers import is_before_moves, is_of_caller, placed


class ReplacedAttributes(Analysis[Run]):
    """Reports what is loaded onto the CPU and put in the place of what was made where an argument
    is, and meets such arguments next. (What is made on the CPU has no device.)"""

    is_failure = True

    @on(Meeting)
    def meet(self, signal: Meeting) -> None:
        for tensor in signal.strict:
            origin = on_cpu(tensor)
            if origin is None or tensor.is_exempt or isinstance(origin.source, Factory):
                continue
            for partner in signal.operands:
                if self.is_elsewhere(partner) and self.run.counts(self):
                    self.run.report(self, problem(self.run, signal, origin, partner))
                    return

    def is_elsewhere(self, partner: Operand) -> bool:
        device = partner.value.device
        return (
            device.is_like
            and is_certain_tensor(self.run, partner)
            and any(is_of_caller(self.run, each) for each in device.likes)
            and not is_before_moves(self.run)
        )


def on_cpu(tensor: Operand) -> Origin | None:
    """Why an attribute is on the CPU where one of the methods of its object has written it last."""
    device = tensor.value.device
    if device.test is None or not device.test.tells_writer:
        return None
    later = (tensor.given(device.test, truth).value for truth in (True, False))
    return next((each.origin for each in later if each.device.is_cpu), None)


def problem(run: Run, signal: Meeting, origin: Origin, partner: Operand) -> Problem:
    is_state = isinstance(origin.source, RestoredState)
    place = placed(partner, partner.value.device.likes[0])
    meets = f"meets {partner.told('a tensor')}, which is {place}"
    what = (
        f"this keeps what it is given as it was loaded: on the CPU that {meets}"
        if is_state
        else f"this is on the CPU, in the place of what was not, and {meets}"
    )
    return Problem(
        origin.node,
        f"{what}: on an accelerator this raises",
        later=((signal.node, f"they meet in `{signal.operation}` here"),),
        presumes=(Presumption.LOADED_STATE,) if is_state else presumed(run, partner),
    )
