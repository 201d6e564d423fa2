"""What is copied to pinned memory, which is the CPU's."""

from __future__ import annotations

from devlint.api import (
    SILENT,
    Analysis,
    Applying,
    Device,
    LoaderMade,
    Problem,
    Run,
    Value,
    effect,
    ir,
    items_of,
    loader_options,
    loaders,
    on,
    written,
)


class PinnedMemory(Analysis[Run]):
    """Reports what is pinned on an accelerator."""

    is_failure = True

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        if not isinstance(signal.fact, effect.Pins):
            return
        given = next(iter(signal.call.arguments), None)
        if given is not None and not is_optional(given.value.device):
            self.pin(signal.call.node, subject(given.node), given.value)

    @on(LoaderMade)
    def make(self, signal: LoaderMade) -> None:
        """A loader may pin what its data set gives."""
        arguments = signal.call.arguments
        data = arguments.get(0, "dataset")
        if data is None or not loader_options.read(self.run, arguments).pins_memory:
            return
        for value in [data.value, *items_of(self.run, data.value)]:
            if loaders.is_data(value) and value.device.is_accelerator:
                text = f"the loader pins what it reads from {subject(data.node)}, which"
                self.pin(signal.call.node, text, value)
                return

    def pin(self, node: ir.Call, text: str, value: Value) -> None:
        device, origin = value.device, value.origin
        if device.is_accelerator:
            message = f"{text} is on {device.told}: only what is on the CPU can be pinned"
            related = ((origin.node, origin.text),) if origin is not None else ()
            self.run.report(self, Problem(node, message, related))


def subject(node: ir.Expression) -> str:
    """How a message calls an expression."""
    text = written(node)
    return f"`{text}`" if text.strip(".") else "this"


def is_optional(device: Device) -> bool:
    """A setting of the program decides, as whether to keep buffers on the CPU: who pins what is
    there does so in a program that does."""
    is_setting = device.test is not None and device.test.senses == SILENT
    return is_setting and any(arm.is_cpu for arm in device.arms or ())
