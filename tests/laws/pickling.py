"""Pickle: what is known of a program is the same in a new process that has the text alone."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from devlint.lower.node_ids import NodeIds, dumped
from devlint.rule.analysis import Report
from devlint.rule.problem import Problem
from devlint.run.problems_to_findings import AS_IS, hears, problems_of

from .examples import ROOT, Example, rules
from .law import Faults, Law, Outcomes
from .observed import heard
from .structure import Structure


class Known(NamedTuple):
    """What is known of a text, as bytes and as a digest of each thing."""

    code: str
    data: bytes
    digests: tuple[str, ...]


def outcomes(examples: Sequence[Example]) -> Outcomes:
    known: list[Known] = []
    sent: list[Example] = []
    for example in examples:
        if not example.is_analysed:
            yield example, None
            continue
        try:
            known.append(packed(example.code, list(facts(example)), ids_of(example)))
            sent.append(example)
        except Exception as error:
            yield example, [f"cannot be pickled: {type(error).__name__}: {error}"]
    for example, one, other in zip(sent, known, in_new_process(known), strict=True):
        yield example, faults(one, other)


LAW = Law("pickle", outcomes)


def ids_of(example: Example) -> NodeIds:
    return NodeIds(example.lowered.module)


def facts(example: Example) -> Iterator[object]:
    """The events, the problems that analyses report, and those that rules find in the events."""
    for event in heard(example, rules()):
        yield bare(event)
        for rule in rules():
            if hears(rule, event):
                yield from ((rule.code, bare(problem)) for problem in problems_of(rule, event))


def bare(fact: object) -> object:
    """Without the changes of a fix, which only LibCST makes."""
    if isinstance(fact, Report):
        return replace(fact, problem=without_changes(fact.problem))
    return without_changes(fact) if isinstance(fact, Problem) else fact


def without_changes(problem: Problem) -> Problem:
    fix = problem.fix and replace(problem.fix, changes=())
    return replace(problem, fix=fix)


def packed(code: str, facts: list[object], ids: NodeIds) -> Known:
    structure = Structure(ids)
    digests = tuple(f"{type(each).__name__} {structure.digest(each)}" for each in facts)
    return Known(code, dumped(facts, ids, AS_IS), digests)


def faults(one: Known, other: Known | str) -> Faults:
    if isinstance(other, str):
        return [f"cannot be read: {other}"]
    if one.data == other.data:
        return []
    pairs = zip(one.digests, other.digests, strict=True)
    return [f"another {before.split()[0]} is read" for before, after in pairs if before != after]


def in_new_process(known: Sequence[Known]) -> list[Known | str]:
    with TemporaryDirectory() as folder:
        sent, back = Path(folder, "sent"), Path(folder, "back")
        sent.write_bytes(pickle.dumps([(each.code, each.data) for each in known]))
        command = [sys.executable, "-m", "tests.laws.read_again", str(sent), str(back)]
        subprocess.run(command, cwd=ROOT, check=True)
        answers: list[Known | str] = pickle.loads(back.read_bytes())
        return answers
