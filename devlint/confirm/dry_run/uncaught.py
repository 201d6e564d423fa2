"""What ends a program, or a thread of it: it is shown, and told if devices were to blame."""

from __future__ import annotations

import re
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import replace
from types import TracebackType
from typing import Any

import torch

from devlint.confirm.device_tags.cuda_messages import is_of_devices
from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.confirm.device_tags.provenance import Birth, is_users
from devlint.confirm.device_tags.record import Record
from devlint.confirm.dry_run.journal import Journal
from devlint.confirm.dry_run.report.program_traceback import OURS, show

#: What Python code of PyTorch says of modules whose parameters are in the wrong place.
_OF_MODULES = re.compile(r"same type of devices|only work with .* GPU modules")


class Uncaught:
    """Of an exception; `is_real`: CUDA is, and raises what else our own do."""

    def __init__(self, journal: Journal, *, is_real: bool = False) -> None:
        self._journal = journal
        self._is_real = is_real

    def __call__(self, error: BaseException) -> None:
        show(error)
        message = str(error).partition("\n")[0]
        if not (is_of_devices(message) or _OF_MODULES.search(message)):
            return
        if self._is_real:
            self._journal.event(_event(error, "real", ()))
        elif operands := _refused(error):
            self._journal.event(_event(error, "several-devices", operands))

    def as_hook(
        self, kind: type[BaseException], error: BaseException, frames: TracebackType | None
    ) -> None:
        """As `sys.excepthook`."""
        self(error)

    def in_thread(self, told: threading.ExceptHookArgs) -> None:
        """As `threading.excepthook`."""
        if told.exc_value is not None and not isinstance(told.exc_value, SystemExit):
            name = told.thread.name if told.thread else "that has ended"
            print(f"Exception in thread {name}:", file=sys.stderr)
            self(told.exc_value)


def _event(error: BaseException, kind: str, operands: tuple[Any, ...]) -> DeviceEvent:
    frames: Birth = tuple(
        (frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if is_users(frame.f_code.co_filename)
    )
    record = Record(goes_on=True)
    record.refuse(kind, " ".join(str(error).split()), operands)
    return replace(record.events[0], error=type(error).__name__, stack=frames[::-1])


def _refused(error: BaseException) -> tuple[Any, ...]:
    """The tensors that Python code of a library refused: one for each device, by what the calls
    that raised had; none where an operator did, which is told already."""
    if any(isinstance(each, OURS) for each in (error, error.__cause__, error.__context__)):
        return ()
    found: dict[str, Any] = {}
    for frame, _ in reversed([*traceback.walk_tb(error.__traceback__)]):
        if is_users(frame.f_code.co_filename):
            break
        for value in frame.f_locals.values():
            for tensor in _tensors(value):
                found.setdefault(str(tensor.device), tensor)
    return tuple(found.values())


def _tensors(value: object) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, torch.nn.Module) and "_parameters" in vars(value):
        yield from value.parameters()
        yield from value.buffers()
