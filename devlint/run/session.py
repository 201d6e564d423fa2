"""One run over paths: files in, an outcome out."""

from __future__ import annotations

import gc
import os
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from devlint.cache.notes import Notes
from devlint.files.discover import Discovery, Selection
from devlint.finding import Finding
from devlint.project.modules import Module
from devlint.project.order import users_first
from devlint.rule.self_reports import COMPLAINTS, UnusedSuppression
from devlint.run.check import Checked
from devlint.run.elsewhere import Elsewhere
from devlint.run.incremental import Incremental
from devlint.run.job import Job
from devlint.run.outcome import Outcome
from devlint.run.plan import Plan
from devlint.run.workers.checker import Checker
from devlint.run.workers.count import worthwhile
from devlint.run.workers.task import Answer, Farewell, Task
from devlint.settings import Configuration

if TYPE_CHECKING:
    from devlint.run.fix import Mended


class Session:
    """A run in the making."""

    def __init__(
        self,
        configuration: Configuration,
        job: Job,
        roots: Sequence[str] = (),
        notes: Notes | None = None,
    ) -> None:
        notes = notes or Notes()
        self.job = job
        self.configuration = configuration
        self.checker = Checker(configuration, roots, notes.snapshot)
        self.project, self.plans = self.checker.project, self.checker.plans
        self.incremental = Incremental(notes, self.plans, self.project)
        self.elsewhere = Elsewhere()
        #: The files that were named one by one, of which syntax errors are always reported.
        self.named: set[str] = set()
        #: What has been looked at, and the content where something was found.
        self.examined: dict[str, tuple[bytes, Checked]] = {}
        self.outcome = Outcome(
            fixing=job.fixing,
            is_silencing=job.reason is not None,
            fail_level=configuration.overall.fail_level,
        )

    def run(self, discovery: Discovery) -> None:
        self.outcome.paths = discovery.files
        self.named = discovery.named
        for complaint in discovery.complaints:
            self.outcome.fail(complaint)
        if not discovery.files and not discovery.complaints:
            self.outcome.complaints.append("warning: no Python files found")
        for package in self.project.modules.installed.missing:
            complaint = f"warning: cannot follow imports of {package}: its source is not installed"
            self.outcome.complaints.append(complaint)
        order = [each for each in self.in_order(discovery.files) if not self.job.sieve.spares(each)]
        self.outcome.unread = len(discovery.files) - len(order)
        gc.freeze()  # What lives as long as the run need not be walked by collections.
        with no_garbage_collection():
            for done, _ in enumerate(self.examine(order), 1):
                self.job.progress(done, len(order))
        for path in discovery.files:
            if path in self.examined:
                self.finish(path, write=self.job.fixing != "diff")

    def in_order(self, paths: Sequence[str]) -> list[str]:
        """What uses others comes before them: it shows what they are called with."""
        if not self.configuration.overall.follow_imports:
            return list(paths)
        modules = {Module(os.path.abspath(path)): path for path in paths}
        used = {each: self.incremental.imported_by(each) for each in modules}
        self.checker.look_at(used)
        return [modules[each] for each in users_first(used)]

    def examine(self, paths: Sequence[str]) -> Iterator[str]:
        """Check files, which are yielded as they are taken in."""
        new = [each for each in paths if not self.incremental.knows(each)]
        jobs = worthwhile(self.configuration.overall.jobs, sum(map(size, new)))
        if jobs > 1:
            from devlint.run.workers import beside

            yield from beside.check(self, paths, self.uses(paths), jobs)
            return
        for path in paths:
            task = self.task(path)
            self.take(self.checker.answer(task, self.kept(task)))
            yield path

    def uses(self, paths: Sequence[str]) -> dict[str, list[str]]:
        """What each file imports of the others."""
        known = {os.path.abspath(path): path for path in paths}
        used = self.checker.used or {}
        return {
            known[one.path]: [known[each.path] for each in others if each.path in known]
            for one, others in used.items()
            if one.path in known
        }

    def task(self, path: str) -> Task:
        return Task(path, self.elsewhere.shown(path), path in self.named)

    def kept(self, task: Task) -> Checked | None:
        return self.incremental.checked(task, self.plans.plan(task.path))

    def look(self, path: str, content: bytes) -> None:
        one = self.plans.plan(path).check(path, content, known=self.elsewhere.take(path))
        self.examined[path] = content, one

    def take(self, answer: Answer) -> None:
        """Take in what was found in a file, and what that shows of others."""
        path, one = answer.task.path, answer.one
        self.elsewhere.take(path)
        if answer.asked is not None:
            self.project.modules.asked.add(os.path.abspath(path), answer.asked)
        if answer.is_kept:
            self.outcome.reused += 1
        else:
            self.incremental.keep(answer, self.plans.plan(path))
        self.elsewhere.add(one.elsewhere)
        self.examined[path] = answer.content, replace(one, elsewhere={})

    def part(self, farewell: Farewell | None) -> None:
        """Take in what a worker leaves; None if it has not come to that."""
        if farewell is None:
            self.incremental.is_whole = False
            return
        for path, asked in farewell.asked.items():
            self.project.modules.asked.add(path, asked)
        self.checker.snapshot.add(farewell.rows, farewell.torn)

    def finish(self, path: str, *, write: bool) -> None:
        """Take in a file, after what others have shown of it since, and mend it if that is asked
        for."""
        plan = self.plans.plan(path)
        content, one = self.examined.pop(path)
        if late := self.elsewhere.take(path).findings:
            content = content or self.checker.read(path)
            one = plan.joined(one, content, late)
        spared = self.job.sieve.spared(path, content, reported(one.findings, plan))
        self.outcome.spared += len(spared)
        if self.job.fixing:
            file = self.mended(path, content, one.findings, spared, plan)
            one = self.deliver(file, one, write=write)
        self.outcome.add(without(one, spared), plan)

    def mended(
        self,
        path: str,
        content: bytes,
        findings: Sequence[Finding],
        spared: Sequence[Finding],
        plan: Plan,
    ) -> Mended:
        from devlint.run.add_suppressions import excused
        from devlint.run.fix import mended

        if self.job.reason is None:
            return mended(path, content, findings, plan, spared)
        loud = [each for each in reported(findings, plan) if each not in spared]
        found = [e for e in loud if e.code != UnusedSuppression.code and plan.believes(e)]
        return excused(path, content, found, plan, self.job.reason)

    def deliver(self, file: Mended, one: Checked, *, write: bool) -> Checked:
        """Take in a mended file; what is left in it afterwards, all if it cannot be written. A fix
        that is refused is none that a report could offer."""
        for each in file.refused:
            self.outcome.refuse(each)
        refused = {each.finding for each in file.refused}
        if not file.is_changed:
            return replace(one, findings=unfixed(one.findings, refused))
        if write:
            from devlint.files.atomic_write import OverwriteError, overwrite

            try:
                remark = overwrite(file.path, file.before, file.after)
            except OverwriteError as error:
                self.outcome.fail(f"{file.path}: cannot be written: {error}")
                return one
            if remark:
                self.outcome.complaints.append(f"warning: {file.path}: {remark}")
        self.outcome.mended.append(file)
        return replace(one, findings=unfixed(file.left, refused))


def run_on(
    path: str, content: bytes, configuration: Configuration, job: Job | None = None
) -> Outcome:
    """Check one file that is not, or not yet, on disk, unless one of that name would be left out;
    nothing is written."""
    session = Session(configuration, job or Job())
    if Selection(configuration).forbids(os.path.abspath(path), is_folder=False):
        return session.outcome
    session.outcome.paths = [path]
    with no_garbage_collection():
        session.look(path, content)
        session.finish(path, write=False)
    return session.outcome


def reported(findings: Sequence[Finding], plan: Plan) -> list[Finding]:
    """The findings that are reported, but for what could not be done."""
    codes = plan.reported - COMPLAINTS.keys()
    return [each for each in findings if each.code in codes]


def unfixed(findings: Sequence[Finding], refused: Container[Finding]) -> tuple[Finding, ...]:
    """The findings, those whose fix is refused without it."""
    return tuple(replace(each, fix=None) if each in refused else each for each in findings)


def without(one: Checked, spared: Sequence[Finding]) -> Checked:
    left = tuple(each for each in one.findings if each not in spared)
    return replace(one, findings=left) if spared else one


def size(path: str) -> int:
    """How many bytes a file holds; 0 where nobody can tell."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Trees die by reference count; a collection amid one walks it for nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
