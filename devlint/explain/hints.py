"""What the names of a file are on where they are bound, for those who read along."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from devlint.document.program import Program
from devlint.document.reader import document
from devlint.explain.explanations import NOUNS, Explanation, in_program, surest
from devlint.interpret.language.observer import bound_by
from devlint.lower import ir
from devlint.lower.lowered import Lowered
from devlint.lower.walk import walk
from devlint.project.project import Project
from devlint.settings.project_names import PLAIN, Vocabulary
from devlint.values.value import Kind

#: What is not hinted at: where a device is it says itself, and any other value may be a number.
SILENT = frozenset({NOUNS[Kind.DEVICE], NOUNS[Kind.UNKNOWN]})


def hints(
    path: str, data: bytes, project: Project | None = None, vocabulary: Vocabulary = PLAIN
) -> list[Explanation]:
    """Of each name that assignments and loops bind, where that is known and always the same.
    Raise `UndecodableError`, or what `compile` raises."""
    programs = document(path, data).programs
    found = surest(
        each
        for program in programs
        for each in in_program(path, program, project, vocabulary, targets)
    )
    alike = ([*same] for _, same in groupby(found, lambda each: each.location))
    return [each[0] for each in alike if is_told(each)]


def is_told(found: Sequence[Explanation]) -> bool:
    """Whether it is worth telling what is known of a name at a place."""
    devices = {each.device for each in found}
    return len(devices) == 1 and all(devices) and SILENT.isdisjoint(each.noun for each in found)


def targets(lowered: Lowered, program: Program) -> set[ir.Node]:
    bindings = (each for each in walk(lowered.module) if isinstance(each, (ir.Assign, ir.For)))
    bound = (target for each in bindings for target in bound_by(each))
    return {target for target in bound if isinstance(target, ir.Name)}
