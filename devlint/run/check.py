"""One file from bytes to findings: decode, prefilter, screen, decide."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Literal, get_args

from devlint.document.program import Program
from devlint.document.reader import document
from devlint.finding import Finding, Patch, Span
from devlint.findings.suppressions import Suppressions
from devlint.findings.unused_suppressions import Audit
from devlint.project.imports import uses_project
from devlint.project.modules import Module
from devlint.project.project import Place, Project
from devlint.rule.rule import Rule
from devlint.rule.self_reports import SkippedFile, UnreadableFile
from devlint.run import watchdog
from devlint.run.elsewhere import NOTHING, Shown, gather, merged, told
from devlint.run.front_ends import RefusedError, final, screened
from devlint.run.prefilter import defines_module, does_something, mentions_devices, names_devices
from devlint.run.problems_to_findings import (
    Crash,
    crash_finding,
    decided,
    findings,
    judge,
    traceback_of,
)
from devlint.settings.project_names import PLAIN, Vocabulary
from devlint.text.source_text import UndecodableError

TOO_DEEP = "nested too deeply to analyse"
TOO_LONG = f"skipped: the analysis took longer than {watchdog.LIMIT:.0f} seconds"

#: How far a file got: `passed` by the prefilter, `screened` by ast, `decided` by LibCST.
Stage = Literal["passed", "screened", "decided"]
STAGES: tuple[Stage, ...] = get_args(Stage)


@dataclass(frozen=True, slots=True)
class Checked:
    findings: tuple[Finding, ...] = ()
    stage: Stage = "passed"
    #: What it shows of other files of the project.
    elsewhere: Mapping[str, Shown] = field(default_factory=dict)
    #: Calls that were not followed because a budget was spent.
    exhausted: int = 0
    #: Of every internal error.
    traceback: str = ""

    def joined(self, other: Checked) -> Checked:
        """What was found in two programs of a file; it got as far as the one that got further."""
        return Checked(
            self.findings + other.findings,
            max(self.stage, other.stage, key=STAGES.index),
            gather(dict(self.elsewhere), other.elsewhere),
            self.exhausted + other.exhausted,
            self.traceback + other.traceback,
        )


@dataclass(frozen=True, slots=True)
class Way:
    """How texts are checked; see `check`."""

    rules: Sequence[Rule[Any]]
    audit: Audit | None
    screen: bool
    heed: bool
    vocabulary: Vocabulary
    project: Project | None = None
    known: Shown = NOTHING

    def place(self, path: str, text: str) -> Place | None:
        """Where in the project a program of a file stands."""
        if self.project is None:
            return None
        module = Module(os.path.abspath(path))
        return Place(self.project, module, text, self.known.uses)

    def matters(self, path: str, text: str) -> bool:
        """Whether a program has to do with devices, by its text, or by that of what it uses."""
        if mentions_devices(text, self.vocabulary):
            return True
        place = self.place(path, text)
        is_run = path.endswith(".ipynb") or does_something(text)
        is_of_interest = is_run or defines_module(text) or names_devices(text, self.vocabulary)
        return place is not None and is_of_interest and uses_project(place)


def check(
    path: str,
    data: bytes,
    rules: Sequence[Rule[Any]],
    audit: Audit | None = None,
    *,
    screen: bool = True,
    heed: bool = True,
    vocabulary: Vocabulary = PLAIN,
    project: Project | None = None,
    known: Shown = NOTHING,
) -> Checked:
    """The findings of one file, shown under `path`, faults included.

    Without `screen` every file that the prefilter keeps goes straight through LibCST. Comments
    silence nothing unless it is to `heed` them. The `vocabulary` is that of the settings. With a
    `project`, what the file imports from that is followed; `known` is what other files of it have
    shown of this one.
    """
    try:
        programs = document(path, data).programs
    except UndecodableError as error:
        return Checked((UnreadableFile.at(path, f"cannot read: {error}"),))
    way = Way(rules, audit, screen, heed, vocabulary, project, known)
    checked = [check_program(path, each, way) for each in programs]
    return checked[0] if len(checked) == 1 else reduce(Checked.joined, checked, Checked())


def check_program(path: str, program: Program, way: Way) -> Checked:
    checked = check_text(path, program.text, way)
    if type(program) is Program:
        return checked
    found = [placed(each, path, program) for each in checked.findings]
    if program.omissions:
        found = sorted([*found, *omitted(path, program, way)], key=position)
    return replace(checked, findings=tuple(found)) if found else checked


def omitted(path: str, program: Program, way: Way) -> Iterator[Finding]:
    """What is left out of a program that has to do with devices."""
    whole = "\n".join([program.text, *(each.text for each in program.omissions)])
    if mentions_devices(whole, way.vocabulary) and not Suppressions(whole).is_whole_file:
        for each in program.omissions:
            yield SkippedFile.at(path, each.message, each.span)


def position(finding: Finding) -> tuple[int, Span, str]:
    """By which findings are sorted; those of the whole file come first."""
    span = finding.span
    return span.cell or 0, replace(span, cell=None), finding.code


def placed(finding: Finding, path: str, program: Program) -> Finding:
    """A finding of a program in its document."""
    related = tuple(
        replace(each, span=program.span(each.span)) if each.path == path else each
        for each in finding.related
    )
    fix = None if finding.fix is None else placed_patch(finding.fix, program)
    return replace(finding, span=program.span(finding.span), related=related, fix=fix)


def placed_patch(patch: Patch, program: Program) -> Patch | None:
    edits = [program.edit(each) for each in patch.edits]
    known = tuple(each for each in edits if each is not None)
    return replace(patch, edits=known) if len(known) == len(edits) else None


def check_text(path: str, text: str, way: Way) -> Checked:
    """The findings of a program; spans are those of the text."""
    suppressions = Suppressions(text if way.heed else "")
    if suppressions.is_whole_file:
        return Checked()
    if not way.matters(path, text):
        return Checked(tuple(left(path, suppressions, way.audit, way.known.findings)))
    try:
        with watchdog.limited():
            return analysed(path, text, suppressions, way)
    except RefusedError as refused:
        # What only uses others that mention PyTorch may be no program at all.
        is_of_torch = mentions_devices(text, way.vocabulary)
        return Checked((refused.fault,), "decided") if is_of_torch else Checked()
    except (RecursionError, MemoryError):
        return Checked((SkippedFile.at(path, TOO_DEEP),), "decided")
    except watchdog.OutOfTimeError:
        if way.project is not None:
            way.project.forget()
        return Checked((SkippedFile.at(path, TOO_LONG),), "decided")
    except Exception as error:
        crash = Crash("the analysis", error)
        found = (crash_finding(path, crash),)
        return Checked(found, "decided", traceback=traceback_of((crash,)))


def analysed(path: str, text: str, suppressions: Suppressions, way: Way) -> Checked:
    screen = screened(path, text) if way.screen else None
    place = way.place(path, text)
    candidate = screen and judge(screen.module, way.rules, way.vocabulary, place)
    if candidate and not candidate.problems and not candidate.crashes:
        found = left(path, suppressions, way.audit, way.known.findings)
        elsewhere = told(path, (), candidate.others)
        return Checked(tuple(found), "screened", elsewhere, candidate.exhausted)
    lowered, remarks = final(path, text, screen)
    same = decided(candidate, screen.module, lowered.module) if candidate and screen else None
    judgement = same or judge(lowered.module, way.rules, way.vocabulary, place)
    # A crash of the screen alone is still a fault of devlint.
    crashes = [*(judgement.crashes or (candidate.crashes if candidate else ()))]
    every = list(findings(path, lowered, judgement, crashes))
    own = merged((each for each in every if each.path == path), way.known.findings)
    found = left(path, suppressions, None if crashes else way.audit, own)
    found += (crash_finding(path, crash, lowered) for crash in crashes)
    found += remarks
    found.sort(key=lambda finding: (finding.span, finding.code))
    elsewhere = told(path, every, judgement.others)
    traceback = traceback_of(crashes)
    return Checked(tuple(found), "decided", elsewhere, judgement.exhausted, traceback)


def left(
    path: str, suppressions: Suppressions, audit: Audit | None, found: Sequence[Finding]
) -> list[Finding]:
    """What no comment silences, and the comments that silence nothing."""
    loud = [finding for finding in found if not suppressions.cover(finding)]
    return loud if audit is None else [*loud, *audit.findings(path, suppressions, found)]
