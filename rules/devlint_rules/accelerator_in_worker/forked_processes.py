"""Processes that a program forks, and what it hands them."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Analysis,
    Applying,
    Call,
    Ended,
    Kind,
    Origin,
    Problem,
    Run,
    Value,
    items_of,
    module_state,
    on,
)
from devlint_rules.accelerator_in_worker.program_options import AFRESH, ProgramOptions

PROCESSES = frozenset({"multiprocessing.Process", "torch.multiprocessing.Process"})
#: What a program says by that its processes start otherwise, in whichever file.
SETTER = "set_start_method"


class ForkedProcesses(Analysis[Run]):
    """Reports processes that are handed what is on an accelerator: a fork cannot use it."""

    needs = (ProgramOptions,)
    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.found: dict[object, Problem] = {}

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        call = signal.call
        if call.name in PROCESSES and self.run.counts(self):
            origin = next(self.origins(call), None)
            if origin is not None:
                self.found.setdefault(call.node, problem(call, origin))

    def origins(self, call: Call) -> Iterator[Origin]:
        """Where what it is handed came to an accelerator."""
        given = call.arguments.get(None, "args")
        for item in items_of(self.run, given.value) if given is not None else ():
            device, origin = self.placed(item)
            if device and origin is not None:
                yield origin

    def placed(self, item: Value) -> tuple[bool, Origin | None]:
        if item.kind is Kind.MODULE:
            device, origin = module_state.module_device(self.run, item)
            return device.is_accelerator, origin
        return item.device.is_accelerator and item.kind is not Kind.DEVICE, item.origin

    @on(Ended)
    def end(self, signal: Ended) -> None:
        if self.run.analysis(ProgramOptions).start_method in AFRESH or self.is_set_elsewhere():
            return
        for found in self.found.values():
            self.run.report(self, found)

    def is_set_elsewhere(self) -> bool:
        place = self.run.home.place
        return place is not None and bool(place.naming(SETTER))


def problem(call: Call, origin: Origin) -> Problem:
    message = (
        "the process is handed what is on an accelerator: where it is forked, as it is by default "
        "on Linux before Python 3.14, it raises as soon as it uses that"
    )
    return Problem(call.node, message, ((origin.node, f"it is {origin.text}"),))
