"""Witnesses: two small programs that show what a rule is about, with the bug and without it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from devlint.finding import Finding
from devlint.rule.registry import AnyRule, RulePackError

_PART = re.compile(
    r"^# (?P<title>[^\n]+)$|^- (?P<key>\w+): `(?P<value>[^`\n]+)`$"
    r"|^```python (?P<kind>\w+)\n(?P<program>.*?)^```$",
    re.M | re.S,
)
_PROGRAMS = ("buggy", "fixed")
_KEYS = ("accepted", "needs", "of")


@dataclass(frozen=True, slots=True)
class Witness:
    """`accepted`: parts of the messages with which the buggy program may fail.

    `of`: it is for findings in whose message these words are, `slots`: the text that something of
    a finding takes the place of, by what that is, `needs_cuda`: emulated CUDA does not have the
    bug.
    """

    code: str
    title: str
    buggy: str
    fixed: str
    accepted: tuple[str, ...]
    of: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    needs_cuda: bool = False

    @property
    def programs(self) -> tuple[str, str]:
        return self.buggy, self.fixed


def witnesses_of(rule: AnyRule) -> tuple[Witness, ...]:
    """The witnesses that a rule brings; raises `RulePackError` where one is incomplete."""
    return tuple(parsed(rule.code, rule.witnesses()))


def witness_of(finding: Finding, witnesses: Iterable[Witness]) -> Witness | None:
    """The first witness for such a finding."""
    return next((each for each in witnesses if each.of in finding.message), None)


def parsed(code: str, text: str) -> Iterator[Witness]:
    """The witnesses that Markdown describes, each below a title."""
    title, parts = "", list[re.Match[str]]()
    for part in _PART.finditer(text):
        if part["title"] and title:
            yield _witness(code, title, parts)
            parts = []
        title = part["title"] or title
        parts.append(part)
    if title:
        yield _witness(code, title, parts)


def _witness(code: str, title: str, parts: Sequence[re.Match[str]]) -> Witness:
    programs = {part["kind"]: part["program"] for part in parts if part["kind"]}
    said = [(part["key"], part["value"]) for part in parts if part["key"]]
    accepted = tuple(value for key, value in said if key == "accepted")
    for missing in _missing(programs, accepted):
        raise RulePackError(f"the witness '{title}' of {code} has no {missing}")
    return Witness(
        code,
        title,
        programs["buggy"],
        programs["fixed"],
        accepted,
        of=dict(said).get("of", ""),
        slots={key: value for key, value in said if key not in _KEYS},
        needs_cuda=("needs", "real CUDA") in said,
    )


def _missing(programs: Mapping[str, str], accepted: tuple[str, ...]) -> Iterator[str]:
    yield from (f"`{kind}` program" for kind in _PROGRAMS if kind not in programs)
    if not accepted:
        yield "`accepted` part of a message"
