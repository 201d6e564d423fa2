"""Where in the user's program something happens: its innermost lines, without those of torch."""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache
from importlib.util import find_spec
from types import CodeType, FrameType

#: Path, line and function.
Frame = tuple[str, int, str]
#: The lines that made a tensor, innermost first.
Birth = tuple[Frame, ...]

DEPTH = 4

_DEVLINT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
#: With the folder of what starts installed programs, such as `pytest`.
_KINDS = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
_INSTALLED = {sysconfig.get_path(name) for name in _KINDS}
_TORCH = (getattr(find_spec("torch"), "submodule_search_locations", None) or [])[:1]
_NOT_THE_USERS = tuple(path + os.sep for path in (*_INSTALLED, *_TORCH, _DEVLINT))
#: What dataclasses and their like generate, and the start of processes.
_GENERATED = ("<frozen", "<string>", "<attrs generated")
#: What runs the program: below it there is nothing of the user's.
_START = os.path.join(_DEVLINT, "confirm", "dry_run", "user_program.py")
_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")

#: How the paths begin of what is under test: it is the user's wherever it is installed.
_users: list[str] = []

_known: dict[tuple[int, int], tuple[CodeType, Frame]] = {}


@cache
def is_users(path: str) -> bool:
    if path.startswith(tuple(_users)):
        return True
    # A program that was started as `../bin/pytest` is called so.
    if os.path.normpath(path).startswith((*_NOT_THE_USERS, *_GENERATED)):
        return False
    return not any(folder in path for folder in _PACKAGES)


def count_as_users(path: str) -> None:
    """From now on code is the user's whose path begins so, also if it is installed."""
    _users.append(path)
    is_users.cache_clear()


def birth(depth: int = DEPTH) -> Birth:
    """The innermost `depth` lines of the user's program that are running, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    found: list[Frame] = []
    while frame is not None:
        path = frame.f_code.co_filename
        if is_users(path):
            found.append(_told(frame))
            if len(found) == depth:
                break
        elif path == _START:
            break
        frame = frame.f_back
    return tuple(found)


def _told(frame: FrameType) -> Frame:
    """To look for the line is most of the work; code that was asked for once is kept."""
    code = frame.f_code
    place = id(code), frame.f_lasti
    known = _known.get(place)
    if known is None:
        known = _known[place] = code, (code.co_filename, frame.f_lineno, code.co_name)
    return known[1]


def stack() -> Birth:
    """All lines of the user's program that are running, innermost first."""
    return birth(sys.getrecursionlimit())
