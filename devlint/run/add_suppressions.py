"""A file after comments that silence all that is found in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devlint.document.program import Program
from devlint.document.reader import document
from devlint.finding import Edit, Finding, Span
from devlint.findings.suppression_edits import Silencer
from devlint.run.fix import Mended, Refused
from devlint.run.plan import Plan


class Unsilenced(Refused):
    """A finding that no comment can silence."""

    @property
    def told(self) -> str:
        return f"{self.finding.code} stays: no comment can stand behind this line"


def excused(
    path: str, data: bytes, findings: Sequence[Finding], plan: Plan, reason: str = ""
) -> Mended:
    """The file with a comment behind each line on which something is found.

    `refused` are the findings that no comment can silence: the file says them still.
    """
    if not findings:
        return Mended(path, data, data, (), (), ())
    whole = document(path, data)
    edits = [edit for each in whole.programs for edit in comments(each, findings, reason)]
    after = whole.edited(edits)
    left = plan.check(path, after, screen=False).findings
    # A comment behind a line moves nothing: what is still found is found where it was.
    places = {(each.code, each.span) for each in left}
    loud = [each for each in findings if (each.code, each.span) in places]
    applied = tuple(each for each in findings if each not in loud)
    return Mended(path, data, after, applied, tuple(map(Unsilenced, loud)), left)


def comments(program: Program, findings: Sequence[Finding], reason: str) -> Iterator[Edit]:
    """The comments for what is found in one program of a document."""
    silencer = Silencer(program.text)
    numbers = {place: number for number, place in lines(program)}
    codes: dict[int, list[str]] = {}
    for finding in findings:
        number = numbers.get((finding.span.cell, finding.span.line))
        at = None if number is None else silencer.line(number)
        if at is not None:
            codes.setdefault(at, []).append(finding.code)
    for at, found in codes.items():
        edit = program.edit(silencer.edit(at, [*dict.fromkeys(found)], reason))
        if edit is not None:
            yield edit


def lines(program: Program) -> Iterator[tuple[int, tuple[int | None, int]]]:
    """Each line of a program, and the cell and line of the document that it is."""
    for number in range(1, program.text.count("\n") + 2):
        span = program.span(Span(None, number, 1, number, 1))
        yield number, (span.cell, span.line)
