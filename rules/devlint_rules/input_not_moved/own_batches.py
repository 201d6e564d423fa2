"""Batches that a module makes itself, and gives to its parts where they are."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Analysis,
    Argument,
    Arguments,
    Batch,
    ClassInfo,
    ModuleFed,
    Presumption,
    Problem,
    Run,
    is_in_reach,
    module_state,
    on,
    written,
)


class OwnBatches(Analysis[Run]):
    """Reports those on the CPU: the parts of a module move with it."""

    is_failure = True

    @on(ModuleFed)
    def feed(self, signal: ModuleFed) -> None:
        arguments = signal.call.arguments
        found = list(left_on_cpu(arguments))
        is_all = len(found) == len([*arguments, *arguments.mapped])
        if not found or not self.is_own(signal, is_all=is_all) or not self.run.counts(self):
            return
        left = found[0]
        node = signal.call.node
        message = (
            f"`{written(left.node)}` is on the CPU and is given to `{written(node.func)}`, which "
            "moves with its module: on an accelerator this raises"
        )
        origin = left.value.origin
        related = () if origin is None else ((origin.node, f"it is {origin.text}"),)
        presumes = (Presumption.MOVED_MODULE,)
        self.run.report(
            self,
            Problem(left.node, message, related, severity="warning", presumes=presumes, fault=node),
        )

    def is_own(self, signal: ModuleFed, *, is_all: bool) -> bool:
        """Whether a part of the module whose method runs is called, which is wherever that is. One
        out of view may move some of what it is given."""
        receiver = self.run.frame.receiver
        part = self.run.instance(signal.module.ref)
        if receiver is None or module_state.is_placing(self.run, signal.module):
            return False
        if isinstance(part.type, module_state.Outer | None):
            if not is_all:
                return False
        elif next(module_state.state_devices(self.run, signal.module), None) is None:
            return False  # Activations and transforms are nowhere.
        device, _ = module_state.module_device(self.run, signal.module)
        owner = self.run.instance(receiver.ref).type
        if not isinstance(owner, ClassInfo) or not owner.is_module:
            return False
        is_there = [like.source for like in device.likes] == [receiver.ref]
        return is_there and is_in_reach(self.run, owner)


def left_on_cpu(arguments: Arguments) -> Iterator[Argument]:
    for each in (*arguments, *arguments.mapped):
        if isinstance(each.value.source, Batch) and each.value.device.is_cpu:
            yield each
