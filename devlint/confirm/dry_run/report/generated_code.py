"""Frames of code that stands in no file: what is told of it is who ran it."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.confirm.device_tags.provenance import Birth


@cache
def is_in_a_file(path: str) -> bool:
    """Whether the path of a frame is that of a file, or of one in an archive.

    What `exec`, dataclasses or torch.fx compile is named `<string>`, or as they please.
    """
    while path and not os.path.exists(path):
        path, name = os.path.split(path)
        if not name:
            return False
    return os.path.isfile(path)


def in_files(event: DeviceEvent) -> DeviceEvent:
    """The event as the files of the program have it."""
    operands = tuple(
        replace(each, birth=_kept(each.birth), roots=tuple(map(_kept, each.roots)))
        for each in event.operands
    )
    return replace(event, stack=_kept(event.stack), operands=operands)


def _kept(frames: Birth) -> Birth:
    return tuple(each for each in frames if is_in_a_file(each[0]))
