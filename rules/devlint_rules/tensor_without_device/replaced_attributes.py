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
    """Reports what is made on the CPU or loaded there, put in the place of what was not, and meets
    what is where that was next."""

    is_failure = True

    @on(Meeting)
    def meet(self, signal: Meeting) -> None:
        for tensor in signal.strict:
            origin = on_cpu(tensor)
            if origin is None or tensor.is_exempt:
                continue
            is_made = isinstance(origin.source, Factory)
            for partner in (each for each in signal.operands if each is not tensor):
                is_away = partner.value.device.is_accelerator
                if is_away or (not is_made and self.is_elsewhere(partner)):
                    if self.run.counts(self):
                        self.run.report(self, problem(self.run, signal, origin, partner))
                    return

    def is_elsewhere(self, partner: Operand) -> bool:
        """Whether something is where an argument is, which may be on an accelerator. (What meets
        that and was made on the CPU has no device.)"""
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
    device = partner.value.device
    place = placed(partner, device.likes[0]) if device.is_like else f"on {device.told}"
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
        presumes=presumptions(run, origin, partner),
    )


def presumptions(run: Run, origin: Origin, partner: Operand) -> tuple[Presumption, ...]:
    if isinstance(origin.source, RestoredState):
        return (Presumption.LOADED_STATE,)
    return presumed(run, partner) if partner.value.device.is_like else ()
