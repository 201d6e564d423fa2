"""Whether the code between an event and the call of the test would catch its exception."""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
from collections.abc import Iterator
from functools import cache
from types import FrameType
from typing import Any

from devlint.confirm.device_tags.device_event import DeviceEvent

#: Where the search ends: a frame of this module has called what runs shifted.
_OUTERMOST = "devlint.confirm.shift.calls"
#: These hand on what they catch.
_TRANSPARENT = ("devlint", "torch")


def is_caught(event: DeviceEvent) -> bool:
    """Whether a `try` around one of the lines that run has a handler for it."""
    error = getattr(builtins, event.error)
    return any(_is_handled(frame, error) for frame in _frames())


def _frames() -> Iterator[FrameType]:
    """The frames that run, from the event out to what shifted the call."""
    frame: FrameType | None = sys._getframe(1)
    has_begun = False
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module == _OUTERMOST and has_begun:
            return
        if module.partition(".")[0] not in _TRANSPARENT:
            has_begun = True
            yield frame
        frame = frame.f_back


def _is_handled(frame: FrameType, error: type) -> bool:
    path, line = frame.f_code.co_filename, frame.f_lineno
    names = {**vars(builtins), **frame.f_globals}
    return any(
        issubclass(error, _caught_by(handler, names))
        for first, last, handlers in _tries(path)
        if first <= line <= last
        for handler in handlers
    )


def _caught_by(handler: ast.ExceptHandler, names: dict[str, Any]) -> tuple[type, ...]:
    """The classes that it names, as far as they are known by name."""
    if handler.type is None:
        return (BaseException,)
    named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    found = (names.get(each.id) for each in named if isinstance(each, ast.Name))
    return tuple(each for each in found if isinstance(each, type))


@cache
def _tries(path: str) -> list[tuple[int, int, list[ast.ExceptHandler]]]:
    """The first and last line of what each `try` of a file guards, and its handlers."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [
        (node.body[0].lineno, node.body[-1].end_lineno or 0, _ending(node.handlers))
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
    ]


def _ending(handlers: list[ast.ExceptHandler]) -> list[ast.ExceptHandler]:
    """Those after which the program goes on."""
    return [each for each in handlers if not isinstance(each.body[-1], ast.Raise)]
