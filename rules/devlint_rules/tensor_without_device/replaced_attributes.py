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
    on,
)
from devlint_rules.tensor_without_device.analysis import is_placed_by_caller, presumed
from devlint_rules.tensor_without_device.callers import placed


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
            others = (each for each in signal.operands if each is not tensor)
            partner = next((each for each in others if is_apart(self.run, origin, each)), None)
            if partner is not None:
                if self.run.counts(self):
                    self.run.report(self, problem(self.run, signal, origin, partner))
                return


def is_apart(run: Run, origin: Origin, partner: Operand) -> bool:
    """Whether something may be elsewhere than what is on the CPU. What was made there, and meets
    what is where an argument is, has no device: that is told by itself."""
    device = partner.value.device
    if device.is_accelerator or isinstance(origin.source, Factory):
        return device.is_accelerator
    return device.is_like and is_placed_by_caller(run, partner)


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
