"""Runs a user's program on emulated CUDA, and keeps what happened."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

from devlint.confirm.births import is_users
from devlint.confirm.device_event import DeviceError, DeviceEvent, ExportError
from devlint.confirm.emulated import emulated_cuda

_HERE = os.path.dirname(__file__) + os.sep
#: What a shell reports of a program that SIGINT ended.
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class DryRun:
    """`status` is the program's own; the events are different ones, in the order of time."""

    events: tuple[DeviceEvent, ...]
    status: int

    @property
    def exit_code(self) -> int:
        return 1 if self.events else self.status


def dry_run_script(path: str, arguments: Sequence[str], *, devices: int, goes_on: bool) -> DryRun:
    """As `python path arguments..`."""
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    return _run(lambda: runpy.run_path(path, run_name="__main__"), devices, goes_on)


def dry_run_module(name: str, arguments: Sequence[str], *, devices: int, goes_on: bool) -> DryRun:
    """As `python -m name arguments..`."""
    sys.argv = [name, *arguments]
    sys.path[0] = os.getcwd()
    run = lambda: runpy.run_module(name, run_name="__main__", alter_sys=True)  # noqa: E731
    return _run(run, devices, goes_on)


def _run(program: Callable[[], object], devices: int, goes_on: bool) -> DryRun:
    with emulated_cuda(devices=devices, goes_on=goes_on) as record:
        try:
            program()
            status = 0
        except SystemExit as end:
            status = _status(end)
        except KeyboardInterrupt as error:
            _show(error)
            status = _INTERRUPTED
        except (DeviceError, ExportError):  # Told with the events.
            status = 1
        except Exception as error:
            _show(error)
            status = 1
    return DryRun(distinct(record.events), status)


def _status(end: SystemExit) -> int:
    """As Python itself: a number, or a text for stderr."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def _show(error: BaseException) -> None:
    """The traceback from the program's first line on, without ours."""
    told = traceback.TracebackException.from_exception(error)
    first = _first(error.__traceback__)
    kept = [frame for frame in list(told.stack)[first:] if not frame.filename.startswith(_HERE)]
    told.stack[:] = kept
    print("".join(told.format()), end="", file=sys.stderr)


def _first(frames: TracebackType | None) -> int:
    """The place of the program's first frame; 0 where it never got to run."""
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(frames)]
    return next((place for place, file in enumerate(files) if is_users(file)), 0)


def distinct(events: Sequence[DeviceEvent]) -> tuple[DeviceEvent, ...]:
    """One event for what was made in one place, whichever lines it makes crash."""
    found: dict[object, DeviceEvent] = {}
    for event in events:
        culprits = [operand.birth[:1] for operand in event.operands if operand.device == "cpu"]
        found.setdefault((event.kind, *(culprits or event.stack[:1])), event)
    return tuple(found.values())
