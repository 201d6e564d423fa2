"""Modules that register something under a name that is made up at run time."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.interpret.core import class_summary
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import Calling
from devlint.rule.analysis import Analysis, on


class OpenRegistrations(Analysis[Run]):
    """Knows which modules may register anything, whoever does it for them."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.modules: set[Hashable] = set()

    @on(Calling)
    def register(self, signal: Calling) -> None:
        call = signal.call
        name = call.arguments.get(0, "name")
        is_written_out = name is not None and isinstance(name.value.payload, str)
        if call.name in class_summary.REGISTERS and not is_written_out:
            self.modules.add(call.receiver.ref)
