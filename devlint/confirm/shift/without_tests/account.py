"""What the child processes of `devlint shift` have told, and what a run comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from devlint.confirm.device_tags.device_event import from_plain, renamed
from devlint.confirm.dry_run.report.generated_code import in_files
from devlint.confirm.shift.report import refused
from devlint.confirm.shift.tally import ShiftedEvent, Tally
from devlint.confirm.shift.without_tests.request import IMPORT, Recipe
from devlint.report.text import count


class ShiftError(Exception):
    """Nothing of a package can be shifted; the message says why."""


@dataclass(slots=True)
class Account:
    """`name`: what the user calls the files that run.

    `why`: of each subject that is not imported, built or called, or breaks when it is shifted.
    `passed`: subjects that need not be tried again. `lost`: those that ended their process, and
    how; `undone`: those that there was no time for. `subject`: the one that is at work, and what is
    done with it; `known`: how many had passed when the process began.
    """

    name: Callable[[str], str] = str
    torch: str = ""
    tally: Tally = field(default_factory=Tally)
    imported: set[str] = field(default_factory=set)
    unimported: dict[str, str] = field(default_factory=dict)
    classes: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    built: set[str] = field(default_factory=set)
    recipes: list[Recipe] = field(default_factory=list)
    clean_examples: list[str] = field(default_factory=list)
    shifted: set[str] = field(default_factory=set)
    why: dict[str, str] = field(default_factory=dict)
    broke: dict[str, str] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    ran: set[tuple[str, int]] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)
    is_out_of_time: bool = False
    has_ended: bool = False
    subject: tuple[str, str] = ("", "")
    known: int = 0

    def start(self) -> None:
        """Another process begins."""
        self.has_ended, self.subject = False, ("", "")
        self.known = len(self.passed)

    @property
    def is_at_work(self) -> bool:
        """Whether there is a subject, and no import, which may take long."""
        subject, _ = self.subject
        return bool(subject) and not subject.startswith(IMPORT)

    def take(self, about: str, told: dict[str, Any]) -> None:
        """One thing that a process tells; what makes no sense, as where a disk was full, is told
        as not seen."""
        try:
            getattr(self, f"_take_{about}")(**told)
        except (AttributeError, LookupError, TypeError, ValueError):
            self.broke.setdefault("what a process told", "cannot be read in part")

    def lose(self, why: str) -> None:
        """The process is over before its end. Raises `ShiftError` where none would get further."""
        subject, doing = self.subject
        if subject:
            self.lost[subject] = f"{doing}: {why}" if doing else why
            self.passed.add(subject)
        elif not self.is_out_of_time and len(self.passed) == self.known:
            raise ShiftError(f"the process that calls the package: {why}")

    def end_stage(self, subjects: Iterable[str]) -> None:
        """What was to be done is done, but for what there was no time for."""
        self.undone |= set(subjects) - self.passed
        self.passed.clear()

    def _take_start(self, torch: str) -> None:
        self.torch = torch

    def _take_begin(self, subject: str, doing: str) -> None:
        self.subject = subject, doing

    def _take_imported(self, name: str) -> None:
        self.imported.add(name)
        self.subject = ("", "")

    def _take_unimported(self, name: str, why: str) -> None:
        self.unimported.setdefault(name, why)
        self.subject = ("", "")

    def _take_found(self, classes: list[str], examples: list[str]) -> None:
        self.classes, self.examples = classes, examples

    def _take_tried(
        self, subject: str, is_built: bool, why: str, recipe: dict[str, Any] | None
    ) -> None:
        self._pass(subject, why)
        self.built |= {subject} if is_built else set()
        if recipe:
            self.recipes.append(Recipe.of(recipe))

    def _take_exemplified(self, subject: str, why: str) -> None:
        self._pass(subject, why)
        if not why:
            self.clean_examples.append(subject)

    def _take_shifted(self, subject: str, **told: Any) -> None:
        self._pass(subject, "")
        self.shifted |= {subject} if told["counts"].get("shifted") else set()
        told["counts"].pop("events", None)  # They are told one by one.
        self.tally.add(told)

    def _take_event(self, event: dict[str, Any], callee: str, test: str) -> None:
        found = in_files(renamed(from_plain(event), self.name))
        self.tally.note(ShiftedEvent(found, callee, test))

    def _take_broke(self, subject: str, why: str) -> None:
        self.broke.setdefault(subject, why)

    def _take_ran(self, path: str, line: int) -> None:
        self.ran.add((self.name(path), line))

    def _take_end(self) -> None:
        self.has_ended = True

    def _take_refused(self, why: str) -> None:
        raise ShiftError(why)

    def _pass(self, subject: str, why: str) -> None:
        self.passed.add(subject)
        self.subject = ("", "")
        if why:
            self.why[subject] = why

    def why_not(self, module: str) -> str:
        """Why a module is not imported."""
        return self.unimported.get(module) or self.lost.get(IMPORT + module) or "time was up"

    @property
    def is_whole(self) -> bool:
        """Whether nothing ended a process or failed unlike on the CPU, and time was enough."""
        return not (self.lost or self.broke or self.is_out_of_time)

    @property
    def summary(self) -> str:
        """The run in a line."""
        modules = count(len(self.imported), "module") + " imported"
        if self.unimported:
            modules += f", {len(self.unimported)} not"
        classes = self._stages("class", "classes", set(self.classes))
        examples = self._stages("docstring example", "", set(self.examples))
        return f"{modules}; {classes}; {examples}; {refused(self.tally)}"

    def _stages(self, noun: str, several: str, subjects: set[str]) -> str:
        """How many got how far."""
        clean = {each.subject for each in self.recipes} | {*self.clean_examples}
        stages = {"ran on the CPU": clean, "shifted": self.shifted}
        if several:
            stages = {"built": self.built, **stages}
        told = [f"{len(some & subjects)} {words}" for words, some in stages.items()]
        return f"{count(len(subjects), noun, several)}: {', '.join(told)}"

    def complaints(self) -> Iterator[str]:
        """What was not seen, a line each."""
        for name, why in sorted(self.unimported.items()):
            yield f"note: {name} cannot be imported: {why}"
        for subject, how in self.lost.items():
            yield f"warning: {subject} ended its process: {how}"
        for subject, why in self.broke.items():
            yield f"warning: {subject} {why}"
        if self.is_out_of_time:
            undone = count(len(self.undone), "more class or example", "more classes and examples")
            yield f"warning: time was up: {undone} not done"

    def reasons(self) -> Iterator[str]:
        """Why classes and examples did not run on the CPU, and where events are not judged."""
        for subject, why in sorted(self.why.items()):
            yield f"note: {subject} did not run: {why}"
        for place, number in self.tally.unjudged.most_common():
            yield f"note: {place}: {count(number, 'event')} not judged"
