"""Where the values of a program live, line by line, as `devlint explain` tells it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from devlint.cli import main
from devlint.explain.clashes import CAUSE

CPU = "the CPU"
NAME = re.compile(r"[A-Za-z_][\w.]*")
QUOTED = re.compile(r"`([^`]+)`")

#: What `devlint explain` says of an expression.
Told = Mapping[str, Any]


@dataclass(frozen=True)
class Stay:
    """A value in one line: `name` is how the line calls it, `whose` whose copy or move it is,
    `since` the line in which it came to its device."""

    line: int
    name: str
    whose: str
    is_on_cpu: bool
    since: int


@dataclass(frozen=True)
class Lives:
    """`ways` lead from one stay to the next; `failures` have, by line, the stays at fault."""

    stays: tuple[Stay, ...]
    ways: tuple[tuple[Stay, Stay], ...]
    failures: Mapping[int, tuple[Stay, ...]]


def lives(file: str, program: str) -> Lives:
    every = explained(file, program)
    stays = tuple(dict.fromkeys(stay for each in every for stay in stays_of(each, program)))
    ways = tuple((origin, stay) for stay in stays for origin in origins(stay, stays))
    return Lives(stays, ways, failures(every, stays))


def explained(file: str, program: str) -> list[Told]:
    """What is said of each line."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path(file).write_text(program, encoding="utf-8")
            lines = range(1, program.count("\n") + 1)
            return [each for line in lines for each in asked(f"{file}:{line}")]
        finally:
            os.chdir(before)


def asked(place: str) -> list[Told]:
    options = ["--isolated", "--output-format", "json"]
    told: list[Told] = json.loads(CliRunner().invoke(main, ["explain", *options, place]).stdout)
    return told


def stays_of(told: Told, program: str) -> Iterator[Stay]:
    """Those of names, and of what a statement lets go; for `self` its attributes speak."""
    if told["device"] is None or told["kind"] == "device" or told["text"] == "self":
        return
    line, text = told["line"], told["text"]
    whole = program.splitlines()[line - 1].partition("#")[0].strip()
    name = NAME.match(text)
    if name is not None and text in (name[0], whole):
        whose = text if text == name[0] else name[0].rpartition(".")[0]
        is_on_cpu = told["device"] == CPU
        yield Stay(line, text.removeprefix(whose) or text, whose, is_on_cpu, since(told))


def since(told: Told) -> int:
    steps = told["steps"]
    return int(steps[-1]["line"]) if steps else int(told["line"])


def origins(stay: Stay, stays: tuple[Stay, ...]) -> Iterator[Stay]:
    """The stay that a value came from: in an earlier line, or else where it was put there."""
    if stay.since == stay.line:
        yield from (each for each in stays if is_move(each, stay))
        return
    same = [each for each in stays if replace(each, line=stay.line) == stay]
    before = [each for each in same if stay.since <= each.line < stay.line]
    there = [each for each in stays if each.line == stay.since and each.is_on_cpu == stay.is_on_cpu]
    yield from before[-1:] or sorted(there, key=lambda each: each.whose != stay.whose)[:1]


def is_move(one: Stay, other: Stay) -> bool:
    """Whether a line takes a value from the CPU to a device."""
    is_same = (one.line, one.whose) == (other.line, other.whose)
    return is_same and one.is_on_cpu and not other.is_on_cpu


def failures(every: list[Told], stays: tuple[Stay, ...]) -> dict[int, tuple[Stay, ...]]:
    """The lines that raise, each with the stays that its steps name."""
    return {
        told["line"]: tuple(dict.fromkeys(named(told["steps"][:-1], stays)))
        for told in every
        if told["why"] == CAUSE and since(told) == told["line"]
    }


def named(steps: list[Told], stays: tuple[Stay, ...]) -> Iterator[Stay]:
    for step in steps:
        names = {last(name) for name in QUOTED.findall(step["message"])[:1]}
        yield from (e for e in stays if e.line == step["line"] and last(e.name) in names)


def last(name: str) -> str:
    """What an attribute is called without its object."""
    return name.rpartition(".")[2]
