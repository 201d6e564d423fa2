"""Files checked by several processes beside each other, and taken in one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Protocol

from devlint.run.check import Checked
from devlint.run.workers.checker import Checker
from devlint.run.workers.pool import Pool
from devlint.run.workers.schedule import Schedule
from devlint.run.workers.task import Answer, Farewell, Task


class Desk(Protocol):
    """Who hands out files, and takes in what is found in them."""

    checker: Checker

    def task(self, path: str) -> Task:
        """A file with what others have shown of it by now."""

    def kept(self, task: Task) -> Checked | None:
        """What an earlier run has found for the same task."""

    def take(self, answer: Answer) -> None:
        """Take in what is found in a file."""

    def part(self, farewell: Farewell | None) -> None:
        """Take in what a worker leaves; None if it has not come to that."""


def check(
    desk: Desk, order: Sequence[str], uses: Mapping[str, Sequence[str]], workers: int
) -> Iterator[str]:
    """Check files, each with what those before it in the order have shown of it by then; `uses` is
    what each of them imports. Yields them as they are taken in."""
    schedule = Schedule(order, uses)
    found: dict[str, Answer] = {}
    with closing(Pool(desk.checker, workers)) as pool:
        while schedule:
            hand_out(desk, schedule, pool, found)
            taken = [*take_in(desk, schedule, found)]
            yield from taken
            if not taken:
                found |= {answer.task.path: answer for answer in pool.answers()}
        for farewell in pool.farewells():
            desk.part(farewell)


def hand_out(desk: Desk, schedule: Schedule, pool: Pool, found: dict[str, Answer]) -> None:
    """Give the idle workers something to do, unless the answer is known."""
    while (worker := pool.idle) and (path := schedule.next()) is not None:
        task = desk.task(path)
        if (one := desk.kept(task)) is not None:
            found[path] = desk.checker.answer(task, one)
        else:
            worker.give(task)


def take_in(desk: Desk, schedule: Schedule, found: dict[str, Answer]) -> Iterator[str]:
    """Take in those whose turn it is; what others have shown of one since is a reason to look at
    it again."""
    while schedule and (answer := found.pop(schedule.turn, None)):
        if answer.task != desk.task(answer.task.path):
            schedule.repeat()
            return
        schedule.close()
        desk.take(answer)
        yield answer.task.path
