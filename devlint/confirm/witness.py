"""Witnesses: two small programs that show what a rule is about, with the bug and without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from devlint.registry import AnyRule, RulePackError

_PART = re.compile(
    r"^- (?P<key>\w+): `(?P<value>[^`\n]+)`$|^```python (?P<kind>\w+)\n(?P<program>.*?)^```$",
    re.M | re.S,
)
_PROGRAMS = ("buggy", "fixed")


@dataclass(frozen=True, slots=True)
class Witness:
    """`accepted`: parts of the messages with which the buggy program may fail.

    `slots`: the text that something of a finding takes the place of, by what that is.
    `needs_cuda`: emulated CUDA does not have the bug.
    """

    code: str
    buggy: str
    fixed: str
    accepted: tuple[str, ...]
    slots: Mapping[str, str] = field(default_factory=dict)
    needs_cuda: bool = False

    @property
    def programs(self) -> tuple[str, str]:
        return self.buggy, self.fixed


def witness_of(rule: AnyRule) -> Witness | None:
    """The witness of a rule, if it brings one; raises `RulePackError` where it is incomplete."""
    text = rule.witness()
    return parsed(rule.code, text) if text else None


def parsed(code: str, text: str) -> Witness:
    """The witness that Markdown describes."""
    parts = [*_PART.finditer(text)]
    programs = {part["kind"]: part["program"] for part in parts if part["kind"]}
    said = [(part["key"], part["value"]) for part in parts if part["key"]]
    accepted = tuple(value for key, value in said if key == "accepted")
    for missing in _missing(programs, accepted):
        raise RulePackError(f"the witness of {code} has no {missing}")
    slots = {key: value for key, value in said if key not in ("accepted", "needs")}
    needs_cuda = ("needs", "real CUDA") in said
    return Witness(code, programs["buggy"], programs["fixed"], accepted, slots, needs_cuda)


def _missing(programs: Mapping[str, str], accepted: tuple[str, ...]) -> Iterator[str]:
    yield from (f"`{kind}` program" for kind in _PROGRAMS if kind not in programs)
    if not accepted:
        yield "`accepted` part of a message"
