"""The traceback of a program, as it is without a dry run."""

from __future__ import annotations

import os
import sys
import traceback
from types import TracebackType

from devlint.confirm.device_tags.provenance import is_users
from devlint.confirm.dry_run.report.document_places import NOTEBOOK, span_of

_HERE = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep


def show_as_hook(
    kind: type[BaseException], error: BaseException, frames: TracebackType | None
) -> None:
    """As `sys.excepthook`."""
    show(error)


def show(error: BaseException) -> None:
    """The traceback from the program's first line on, without ours."""
    told = traceback.TracebackException.from_exception(error)
    first = _first(error.__traceback__)
    kept = [frame for frame in list(told.stack)[first:] if not frame.filename.startswith(_HERE)]
    told.stack[:] = map(_in_its_cell, kept)
    print("".join(told.format()), end="", file=sys.stderr)


def _in_its_cell(frame: traceback.FrameSummary) -> traceback.FrameSummary:
    """The frame, of a notebook by the cell and the line in it."""
    if not frame.filename.endswith(NOTEBOOK):
        return frame
    span = span_of((frame.filename, frame.lineno or 0, frame.name))
    name = f"{frame.filename}, cell {span.cell}"
    return traceback.FrameSummary(name, span.line, frame.name, line=frame.line)


def _first(frames: TracebackType | None) -> int:
    """The place of the program's first frame; 0 where it never got to run."""
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(frames)]
    return next((place for place, file in enumerate(files) if is_users(file)), 0)
