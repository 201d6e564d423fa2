"""Runs what ran clean on the CPU once more, shifted to emulated CUDA."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

from devlint.confirm.device_tags.carried import PHASE
from devlint.confirm.device_tags.device_event import events_of, plain
from devlint.confirm.dry_run.line_coverage import watch
from devlint.confirm.shift.calls import Shift
from devlint.confirm.shift.tally import ShiftedEvent, Tally
from devlint.confirm.shift.without_tests import survey
from devlint.confirm.shift.without_tests.calls import Names, performed, start_anew
from devlint.confirm.shift.without_tests.request import Order
from devlint.confirm.shift.without_tests.search import examples
from devlint.confirm.shift.without_tests.telling import Telling


@dataclass(slots=True)
class ToldTally(Tally):
    """Tells each event as it happens, whatever becomes of the process."""

    telling: Telling | None = None

    def note(self, event: ShiftedEvent) -> None:
        Tally.note(self, event)
        if self.telling:
            told = {"event": plain(event.event), "callee": event.callee, "test": event.test}
            self.telling.tell("event", **told)


class ShiftedCalls:
    """Of one package, whose modules are imported."""

    def __init__(self, shift: Shift, telling: Telling) -> None:
        self._shift, self._telling = shift, telling

    def run(self, modules: dict[str, ModuleType], order: Order) -> None:
        names = Names(survey.public(modules), modules)
        classes = survey.classes(modules)
        watch(order.watched, self._ran, is_counted)
        for each in examples(modules):
            if each.subject in order.examples:
                self._one(each.subject, each.subject, each.run)
        for recipe in order.recipes:
            if kind := classes.get(recipe.subject):
                own = names.of(kind)
                runs = [partial(performed, recipe, run, own) for run in recipe.runs]
                self._one(recipe.subject, f"`{recipe.call}`", *runs)
            else:
                self._telling.tell(
                    "broke", subject=recipe.subject, why="is not there when it is shifted"
                )

    def _one(self, subject: str, name: str, *runs: Callable[[], Any]) -> None:
        if self._telling.has_passed(subject):
            return
        self._telling.begin(subject, name.strip("`"))
        self._shift.tally = tally = ToldTally(telling=self._telling)
        self._shift.test = name
        for run in runs:
            self._attempt(subject, run)
        told = tally.plain()
        self._telling.tell("shifted", **{**told, "subject": subject, "events": []})

    def _attempt(self, subject: str, run: Callable[[], Any]) -> None:
        start_anew()
        try:
            run()
        except BaseException as error:
            if not events_of(error):
                self._telling.tell(
                    "broke", subject=subject, why=f"fails shifted: {survey.reason(error)}"
                )

    def _ran(self, path: str, line: int) -> None:
        self._telling.tell("ran", path=path, line=line)


def is_counted() -> bool:
    """Whether what runs now is a shifted call, or builds what is called."""
    return PHASE.is_shifted or PHASE.constructors > 0
