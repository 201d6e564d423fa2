"""The traceback of a program, as it is without a dry run; of a device error, libraries folded."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from types import FrameType
from typing import Any

from devlint.confirm.device_tags.device_event import BufferExportError, DeviceError, ExportError
from devlint.confirm.device_tags.provenance import is_users
from devlint.confirm.dry_run.report.document_places import named, span_of
from devlint.confirm.dry_run.report.folded_frames import Step, folded
from devlint.confirm.emulation.untold_frames import is_ours
from devlint.confirm.sandbox.file_overlay import StandIns
from devlint.document.reader import NOTEBOOK

#: What CUDA would have raised.
OURS = (DeviceError, ExportError, BufferExportError)


def show(error: BaseException) -> None:
    """The traceback from the program's first line on, without ours; in a sandbox, with the user's
    files, for their copies are soon gone."""
    told = traceback.TracebackException.from_exception(error)
    _trim(told, error)
    text = "".join(told.format())
    stand_ins = StandIns.of(os.environ)
    print(stand_ins.users_in(text) if stand_ins else text, end="", file=sys.stderr)


def _trim(told: traceback.TracebackException, error: BaseException) -> None:
    """This exception, and those that it came of."""
    summaries = [each for each in told.stack if not is_ours(each.filename)]
    walked = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    frames = [each for each in walked if not is_ours(each.f_code.co_filename)]
    pairs = zip(summaries, frames, strict=True)
    steps = [Step(_in_its_cell(summary), frame) for summary, frame in pairs]
    kept = steps[_first(frames) :]
    told.stack[:] = [each.summary for each in kept]
    if isinstance(error, OURS):
        told.stack = _Folded(kept)
        setattr(told, "__notes__", None)  # noqa: B010  # The report tells where operands come from.
    for inner, cause in _causes(told, error):
        if inner and cause:
            _trim(inner, cause)


def _causes(
    told: traceback.TracebackException, error: BaseException
) -> list[tuple[traceback.TracebackException | None, BaseException | None]]:
    """What an exception came of, and what it is made of."""
    inner = getattr(told, "exceptions", None) or ()  # Since Python 3.11.
    parts = zip(inner, getattr(error, "exceptions", ()), strict=False)
    return [
        (told.__cause__, error.__cause__),
        (told.__context__, error.__context__),
        *parts,
    ]


class _Folded(traceback.StackSummary):
    """Frames of which those of libraries are told in one line."""

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__(each.summary for each in steps)
        self._steps = steps

    def format(self, **settings: Any) -> list[str]:
        return folded(self._steps)


def _in_its_cell(frame: traceback.FrameSummary) -> traceback.FrameSummary:
    """The frame, of a notebook by the cell and the line in it."""
    if not frame.filename.endswith(NOTEBOOK):
        return frame
    span = span_of((frame.filename, frame.lineno or 0, frame.name))
    name = f"{named(frame.filename)}, cell {span.cell}"
    return traceback.FrameSummary(name, span.line, frame.name, line=frame.line)


def _first(frames: Sequence[FrameType]) -> int:
    """The place of the program's first frame; 0 where it never got to run."""
    files = (frame.f_code.co_filename for frame in frames)
    return next((place for place, file in enumerate(files) if is_users(file)), 0)
