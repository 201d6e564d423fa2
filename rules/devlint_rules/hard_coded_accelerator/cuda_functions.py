"""Functions of one kind of accelerator, and devices that may be the CPU."""

from __future__ import annotations

from devlint.api import (
    CPU,
    REFUSES_CPU,
    Analysis,
    Applying,
    Device,
    Kind,
    Presumption,
    Problem,
    Run,
    Sense,
    on,
    written,
)


class CudaFunctions(Analysis[Run]):
    """Reports functions of CUDA that a program tells a device which it lets be the CPU."""

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        call = signal.call
        if call.name not in REFUSES_CPU or self.is_sure():
            return
        given = next(iter(call.arguments), None)
        if given is None or given.value.kind is not Kind.DEVICE:
            return
        if CPU in self.here(given.value.device).possible() and not given.value.device.is_cpu:
            message = (
                f"`{call.name}` takes no CPU, which `{written(given.node)}` is where there is no "
                "accelerator: there this raises"
            )
            presumes = (Presumption.OPTIONAL_ACCELERATOR,)
            self.run.report(self, Problem(call.node, message, presumes=presumes))

    def is_sure(self) -> bool:
        """Whether a test on the way here may have told an accelerator from the CPU."""
        return any(
            test.sense(truth) is not Sense.CPU and test.sense(not truth) is not Sense.NOTHING
            for test, truth in self.run.conditions()
        )

    def here(self, device: Device) -> Device:
        """What is left of a device once the tests on the way here have come out."""
        for test, truth in self.run.conditions():
            device = device.given(test, truth)
        return device
