"""What a file becomes by the fixes of its findings, and the difference as a patch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from devlint.document.reader import document
from devlint.finding import Edit, Finding, Span
from devlint.report.text import visible
from devlint.rule.self_reports import UnusedSuppression
from devlint.run.plan import Plan
from devlint.text.line_shift import Shift, ends, starts
from devlint.text.source_text import UnwritableError

#: Fixes that wait for others to be applied first are rare: each waits for one round.
ROUNDS = 20
LINE = re.compile(rb"[^\n]*\n|[^\n]+")
#: What acts on a terminal, or is the end of a line there and none for `patch`.
STEERING = re.compile(rb"[\x07\x08\x0e\x0f\x1b\x7f]|\r(?!\n|\Z)|\xc2[\x80-\x9f]")


@dataclass(frozen=True, slots=True)
class Refused:
    """A fix that is left out. `is_fault`: devlint is to blame."""

    finding: Finding
    reason: str = ""
    is_fault: bool = False

    @property
    def told(self) -> str:
        return f"the fix of {self.finding.code} is left out: {self.reason}"


class Spared(Refused):
    """A finding that does not count: nobody asks for its fix."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A file before and after fixes.

    `applied` are the findings as they were when their fix was applied, `left` what is found in the
    file afterwards.
    """

    path: str
    before: bytes
    after: bytes
    applied: tuple[Finding, ...]
    refused: tuple[Refused, ...]
    left: tuple[Finding, ...]

    @property
    def is_changed(self) -> bool:
        return self.after != self.before


class RefusalError(Exception):
    """Fixes that must not be applied together; the message says why."""

    def __init__(self, reason: str, *, is_fault: bool = False) -> None:
        super().__init__(reason)
        self.is_fault = is_fault


@dataclass(frozen=True, slots=True)
class Version:
    """A file after some rounds; `fresh` are the findings that were not there at first."""

    data: bytes
    findings: tuple[Finding, ...]
    applied: tuple[Finding, ...] = ()
    refused: tuple[Refused, ...] = ()
    fresh: frozenset[Finding] = frozenset()


def mended(
    path: str,
    data: bytes,
    findings: Sequence[Finding],
    plan: Plan,
    spared: Sequence[Finding] = (),
) -> Mended:
    """The file when no fix that may be applied is left; the findings that are `spared` stay.

    A fix is left out where the file would not parse any more, cannot be written, or has another
    finding in the end.
    """
    first = Version(data, tuple(findings), refused=tuple(map(Spared, spared)))
    last = Mending(path, plan).last(first)
    if last.fresh:
        last = Mending(path, plan, may_uncover=False).last(first)
    still = [each.finding for each in last.refused if isinstance(each, Spared)]
    refused = tuple(each for each in last.refused if not isinstance(each, Spared))
    left = tuple(each for each in last.findings if each not in still)
    return Mended(path, data, last.data, last.applied, refused, left)


@dataclass(frozen=True, slots=True)
class Mending:
    """The rounds of one file. `may_uncover`: findings that a later round mends."""

    path: str
    plan: Plan
    may_uncover: bool = True

    def last(self, version: Version) -> Version:
        """What the rounds lead to; where they have no end, the first with the fewest fixes left."""
        best = version
        for _ in range(ROUNDS):
            chosen = apart(self.pending(version), self.plan)
            if not chosen:
                return version
            version = self.round(version, chosen)
            if not version.fresh and len(self.pending(version)) < len(self.pending(best)):
                best = version
        endless = (Refused(each, "it has no end", False) for each in self.pending(best))
        return replace(best, refused=(*best.refused, *endless))

    def pending(self, version: Version) -> list[Finding]:
        """The findings whose fix may be applied, and was not refused so far."""
        refused = {each.finding for each in version.refused}
        return [
            each
            for each in version.findings
            if self.plan.fix(each) is not None and each not in refused
        ]

    def round(self, version: Version, chosen: Sequence[Finding]) -> Version:
        """The file after the fixes of `chosen`, but for those that must not be applied."""
        accepted: list[Finding] = []
        refused = [*version.refused]
        made: Version | None = None
        groups = [list(chosen)]
        while groups:
            group = groups.pop()
            try:
                made = self.after(version, [*accepted, *group])
                accepted += group
            except RefusalError as error:
                if len(group) == 1:
                    refused.append(Refused(group[0], str(error), error.is_fault))
                else:
                    middle = len(group) // 2
                    groups += group[middle:], group[:middle]
        if made is None:
            return replace(version, refused=tuple(refused))
        shift = Shift(self.edits(accepted))
        still = (
            replace(each, finding=later)
            for each in refused
            for later in made.findings
            if is_same(each.finding, later, shift)
        )
        return replace(made, refused=tuple(still))

    def after(self, version: Version, chosen: Sequence[Finding]) -> Version:
        """The file after fixes; raises `RefusalError` where they must not be applied."""
        edits = self.edits(chosen)
        try:
            data = document(self.path, version.data).edited(edits)
        except UnwritableError as error:
            raise RefusalError(str(error)) from error
        if not parses(self.path, version.data, data):
            raise RefusalError("the file would no longer parse", is_fault=True)
        plan, shift = self.plan, Shift(edits)
        found = plan.check(self.path, data, screen=False).findings
        if any(self.is_again(each, later, shift) for each in chosen for later in found):
            raise RefusalError("the finding is still there after it")
        shown = filter(plan.believes, found)
        fresh = frozenset(each for each in shown if is_fresh(each, version, shift))
        for each in fresh:
            if plan.fix(each) is None or not self.may_uncover:
                raise RefusalError(f"it leads to {each.code} in {line_of(each.span)}")
        return Version(data, found, (*version.applied, *chosen), fresh=fresh)

    def edits(self, chosen: Sequence[Finding]) -> list[Edit]:
        patches = (self.plan.fix(each) for each in chosen)
        return [edit for patch in patches if patch is not None for edit in patch.edits]

    def is_again(self, earlier: Finding, later: Finding, shift: Shift) -> bool:
        """Whether a finding is still there, with a fix that would change what its fix wrote."""
        written = [shift.region(edit.span) for edit in self.edits([earlier])]
        return is_same(earlier, later, shift) and any(
            region.meets(edit) for edit in self.edits([later]) for region in written
        )


def is_fresh(finding: Finding, version: Version, shift: Shift) -> bool:
    """Whether a finding was not there at first; a comment that a fix has made superfluous is
    nothing new."""
    return finding.code != UnusedSuppression.code and not any(
        each.code == finding.code and shift.region(each.span).holds(finding.span)
        for each in version.findings
        if each not in version.fresh
    )


def is_same(earlier: Finding, later: Finding, shift: Shift) -> bool:
    """Whether a finding is still there after edits."""
    is_alike = (earlier.code, earlier.message) == (later.code, later.message)
    return is_alike and shift.region(earlier.span).holds(later.span)


def parses(path: str, before: bytes, after: bytes) -> bool:
    """Whether LibCST reads all programs of a file, and Python those that it read before."""
    from devlint.lower.cst_edit import parses
    from devlint.lower.from_ast import compiles

    was, now = document(path, before).programs, document(path, after).programs
    return len(was) == len(now) and all(
        parses(new.text) and (compiles(new.text) or not compiles(old.text)) and new.gaps <= old.gaps
        for old, new in zip(was, now, strict=True)
    )


def apart(findings: Sequence[Finding], plan: Plan) -> list[Finding]:
    """The findings, in order, whose fixes touch nothing of one before them; the others wait."""
    chosen: list[Finding] = []
    taken: list[Edit] = []
    for finding in findings:
        patch = plan.fix(finding)
        if patch and not any(touch(edit, other) for edit in patch.edits for other in taken):
            chosen.append(finding)
            taken += patch.edits
    return chosen


def line_of(span: Span) -> str:
    line = f"line {span.line}"
    return line if span.cell is None else f"{line} of cell {span.cell}"


def touch(one: Edit, other: Edit) -> bool:
    """Edits that share a border touch: what both insert there has no order."""
    first, second = sorted((one, other))
    return first.span.cell == second.span.cell and starts(second.span) <= ends(first.span)


def diff(file: Mended) -> Iterator[bytes]:
    """The lines of a unified diff; only a line feed ends a line, as `patch` and `git` have it.

    What would act on the terminal is replaced; with `--fix` it stays.
    """
    from difflib import diff_bytes, unified_diff

    name = visible(file.path).encode(errors="surrogateescape")
    before, after = (LINE.findall(text) for text in (file.before, file.after))
    for line in diff_bytes(unified_diff, before, after, name, name):
        shown = STEERING.sub(b"?", line)
        yield shown if line.endswith(b"\n") else shown + b"\n\\ No newline at end of file\n"
