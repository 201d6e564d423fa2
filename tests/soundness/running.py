"""Programs run on emulated CUDA, with every outcome of their flags."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from types import FrameType, ModuleType
from typing import Any

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.confirm.device_tags.provenance import Birth
from tests.soundness.programs import FLAGS

#: Under which name a program runs and is linted.
PATH = "program.py"


@dataclass(frozen=True, slots=True)
class Run:
    """`ran` are the lines that were begun, `fault` is what ended the program if there were no
    events."""

    ran: frozenset[int]
    events: tuple[DeviceEvent, ...]
    fault: BaseException | None

    @property
    def raised(self) -> int:
        """The line of the program that raised first; 0 if none has."""
        return next(iter(lines(self.events[0].stack)), 0) if self.events else 0

    @property
    def refused(self) -> set[int]:
        """The lines that led to events: `finally` and handlers go on behind the first."""
        return {line for each in self.events for line in lines(each.stack)}

    @property
    def involved(self) -> set[int]:
        """The lines that led to the first, and those that made its operands."""
        births = [b for e in self.events[:1] for o in e.operands for b in (o.birth, *o.roots)]
        stacks = [each.stack for each in self.events[:1]]
        return {line for each in (*stacks, *births) for line in lines(each)}


def lines(frames: Birth) -> list[int]:
    """Those of the program, the innermost first."""
    return [line for path, line, _ in frames if path == PATH]


def runs(text: str, events: list[DeviceEvent]) -> Iterator[Run]:
    """`events` is the list of the emulation that is on."""
    code = compile(text, PATH, "exec")
    for outcome in product("01", repeat=len(FLAGS)):
        os.environ.update(zip(FLAGS, outcome, strict=True))
        events.clear()
        ran, fault = executed(code)
        yield Run(frozenset(ran), tuple(events), None if events else fault)


def executed(code: Any) -> tuple[set[int], Exception | None]:
    """The lines of a program that were begun, and what ended it."""
    ran: set[int] = set()

    def trace(frame: FrameType, kind: str, argument: object) -> Any:
        if frame.f_code.co_filename != PATH:
            return None
        if kind == "line":
            ran.add(frame.f_lineno)
        return trace

    module = sys.modules["program"] = ModuleType("program")
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        exec(code, module.__dict__)
    except Exception as error:
        return ran, error
    finally:
        sys.settrace(before)
    return ran, None
