"""Tells which lines of watched files run, once each, and costs the others next to nothing."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from functools import cache
from types import CodeType, FrameType
from typing import Any

from devlint.confirm.dry_run.request import Lines

#: Told of a file and a line.
Hear = Callable[[str, int], None]


def always() -> bool:
    return True


def watch(watched: Iterable[Lines], hear: Hear, is_counted: Callable[[], bool] = always) -> None:
    """From now on, in every thread and what runs already in this; `hear` is told each line once,
    when it first runs while it `is_counted`."""
    lines = {(path, line) for path, first, last in watched for line in range(first, last + 1)}
    if not lines:
        return
    if sys.version_info >= (3, 12):
        _monitor(lines, hear, is_counted)
    else:
        _trace(lines, hear, is_counted)


@cache
def _file(path: str) -> str:
    """Other names than absolute ones are of generated code."""
    return os.path.realpath(path) if os.path.isabs(path) else path


def _monitor(lines: set[tuple[str, int]], hear: Hear, is_counted: Callable[[], bool]) -> None:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]

    def ran(code: CodeType, line: int) -> Any:
        place = (_file(code.co_filename), line)
        if place in lines:
            if not is_counted():
                return None
            lines.discard(place)
            hear(*place)
        return monitoring.DISABLE

    tool = next(number for number in (3, 4, 1, 2, 5, 0) if monitoring.get_tool(number) is None)
    monitoring.use_tool_id(tool, "devlint")
    monitoring.register_callback(tool, monitoring.events.LINE, ran)
    monitoring.set_events(tool, monitoring.events.LINE)


def _trace(lines: set[tuple[str, int]], hear: Hear, is_counted: Callable[[], bool]) -> None:
    files = {path for path, _ in lines}

    def entered(frame: FrameType, event: str, argument: object) -> Any:
        return ran if _file(frame.f_code.co_filename) in files else None

    def ran(frame: FrameType, event: str, argument: object) -> Any:
        place = (_file(frame.f_code.co_filename), frame.f_lineno)
        if place in lines and is_counted():
            lines.discard(place)
            hear(*place)
        return ran

    atexit.register(sys.settrace, None)  # What it needs goes before the last `__del__` runs.
    sys.settrace(entered)
    threading.settrace(entered)
    for running, _ in traceback.walk_stack(None):
        if _file(running.f_code.co_filename) in files:
            running.f_trace = ran
