"""Models that `DataParallel` copies to several devices, and where they are."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from devlint.api import (
    Analysis,
    Applying,
    Assigned,
    Call,
    ClassInfo,
    Device,
    ModuleFed,
    On,
    Presumption,
    Problem,
    Run,
    Sense,
    effect,
    ir,
    module_state,
    moves_part,
    names_use,
    on,
    written,
)


@dataclass(frozen=True, slots=True)
class Replicated:
    """A call that wraps a model; `first` is the number of its first device, if that is written
    out; `entry` is what was run by itself, unless that makes an object."""

    node: ir.Call
    first: int | None
    entry: ir.Node | None


class Replicas(Analysis[Run]):
    """Reports calls of models that are not on the first device."""

    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: By the models.
        self.replicated: dict[Hashable, Replicated] = {}

    @on(Applying)
    def wrap(self, signal: Applying) -> None:
        call = signal.call
        if not isinstance(signal.fact, effect.Wraps) or not call.name.endswith(".DataParallel"):
            return
        model, numbers = call.arguments.get(0, "module"), device_numbers(call)
        if model is not None and model.value.ref is not None and len(numbers) != 1:
            first, entry = next(iter(numbers), None), entry_of(self.run)
            self.replicated[model.value.ref] = Replicated(call.node, first, entry)

    @on(Assigned)
    def unwrap(self, signal: Assigned) -> None:
        """`model = model.module` is the model again."""
        source = signal.node.value
        if isinstance(source, ir.Attribute) and source.name == "module":
            self.replicated.pop(signal.value.ref, None)

    @on(ModuleFed)
    def feed(self, signal: ModuleFed) -> None:
        wrapped = self.replicated.get(signal.module.ref)
        if wrapped is None or self.run.tolerance or not self.may_be_several(signal):
            return
        device, _ = module_state.module_device(self.run, signal.module)
        if device.is_cpu or is_another(self.run, device, wrapped.first):
            self.run.report(self, problem(signal.call.node, wrapped, device))

    def may_be_several(self, signal: ModuleFed) -> bool:
        """Whether no test has found that there is no accelerator at all, and the wrapper itself is
        called, rather than a method of the model such as `generate`. (What one method wraps, it may
        have unwrapped before another one is called, and what any moves may have been moved.)"""
        entry = self.replicated[signal.module.ref].entry
        if self.is_moved_by_methods(signal) or entry not in (None, entry_of(self.run)):
            return False
        if any(test.sense(truth) is Sense.CPU for test, truth in self.run.conditions()):
            return False
        func = signal.call.node.func
        if not isinstance(func, ir.Attribute) or names_use(func.name):
            return True
        return self.run.evaluate(func.value).ref != signal.module.ref

    def is_moved_by_methods(self, signal: ModuleFed) -> bool:
        receiver = self.run.frame.receiver
        type_ = None if receiver is None else self.run.instance(receiver.ref).type
        if receiver is None or not isinstance(type_, ClassInfo):
            return False
        return moves_part(self.run, type_, receiver, signal.module.ref)


def entry_of(run: Run) -> ir.Node | None:
    """What is run by itself; None at the top of a program, and where an object is made."""
    first = run.frame.path[0] if run.frame.path else None
    is_making = isinstance(first, ir.Def) and first.name == "__init__"
    return first if isinstance(first, ir.Def) and not is_making else None


def device_numbers(call: Call) -> list[int]:
    """Those of the devices, as far as they are written out; without any, there are all."""
    given = call.arguments.get(1, "device_ids")
    if given is None or given.value.is_none:
        return [0, 1]
    items = given.node.items if isinstance(given.node, ir.Display) else ()
    numbers = [each.value for each in items if isinstance(each, ir.Constant)]
    return [each for each in numbers if isinstance(each, int)]


def is_another(run: Run, device: Device, first: int | None) -> bool:
    """Whether a model is on another accelerator than the first; the current one is that which has
    the number 0, unless the program sets it."""
    if first is None or len(device.atoms) != 1 or device.test is not None:
        return False
    atom = next(iter(device.atoms))
    if not isinstance(atom, On) or not device.is_accelerator:
        return False
    is_current = atom.index is None
    if is_current and "set_device" in run.module.words:
        return False
    return first != (atom.index or 0)


def problem(node: ir.Call, wrapped: Replicated, device: Device) -> Problem:
    first = f"`cuda:{wrapped.first}`" if wrapped.first else "the first accelerator"
    return Problem(
        node,
        f"`DataParallel` copies `{written(node.func)}` from {first}, and it is on {device.told}: "
        "where there are several accelerators this raises",
        ((wrapped.node, "made to run on several accelerators here"),),
        presumes=(Presumption.SEVERAL_ACCELERATORS,),
    )
