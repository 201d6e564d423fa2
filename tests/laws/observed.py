"""Runs of the interpreter that say what was done to their log, and which analyses listened."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar
from unittest.mock import patch

from devlint.event import Event
from devlint.interpret.language import program
from devlint.models.libraries import libraries
from devlint.project.project import Used
from devlint.rule.analysis import Failure, Report
from devlint.rule.rule import Rule
from devlint.run.problems_to_findings import needed_by

from .examples import Example


class Appended(list[Event]):
    """A log that tells who does something else to it than append."""

    def __init__(self, events: Iterable[Event], tell: Callable[[str], None]) -> None:
        super().__init__(events)
        self.tell = tell


def telling(method: str) -> Callable[..., Any]:
    plain = getattr(list, method)

    def told(log: Appended, *arguments: Any) -> Any:
        before = list(log)
        result = plain(log, *arguments)
        if [*map(id, before)] != [*map(id, log)]:
            log.tell(f"`{sys._getframe(1).f_code.co_name}` takes events from the log or moves them")
        return result

    return told


for each in "__delitem__ __setitem__ clear insert pop remove reverse sort".split():
    setattr(Appended, each, telling(each))


class Observed(program.Interpreter):
    """The latest one is kept on the class, since nobody hands out the interpreter of a run."""

    latest: ClassVar[Observed]

    def __init__(self, *arguments: Any) -> None:
        self.rewrites: list[str] = []
        self._log = Appended((), self.rewrites.append)
        super().__init__(*arguments)
        Observed.latest = self

    def dismiss(self) -> None:
        self.listened = frozenset(self.analyses)
        super().dismiss()

    @property
    def events(self) -> list[Event]:
        return self._log

    @events.setter
    def events(self, events: list[Event]) -> None:
        if [*map(id, events[: len(self._log)])] != [*map(id, self._log)]:
            self.rewrites.append(f"`{sys._getframe(1).f_code.co_name}` replaces the log")
        if events is not self._log:
            self._log = Appended(events, self.rewrites.append)


def observed(example: Example, chosen: Sequence[Rule[Any]]) -> Observed:
    """The run in which rules judge an example."""
    with patch.object(program, "Interpreter", Observed):
        example.judgement(chosen)
    return Observed.latest


def heard(example: Example, chosen: Sequence[Rule[Any]]) -> Iterator[Event | Report]:
    """What rules get to hear of an example. Raise what an analysis raised."""
    module, models = example.lowered.module, libraries(example.vocabulary)
    for event in program.events(module, models, needed_by(chosen)):
        if isinstance(event, Failure):
            raise event.error
        assert not isinstance(event, Used)
        yield event
