"""What is said of a device event in plain text: what crashes where, and where it comes from."""

from __future__ import annotations

import linecache
from collections.abc import Iterator

from devlint.confirm.device_tags.device_event import DeviceEvent, EventOperand
from devlint.confirm.device_tags.provenance import Frame
from devlint.confirm.dry_run.report.document_places import where
from devlint.confirm.dry_run.report.generated_code import in_files


def message_of(event: DeviceEvent) -> str:
    """What CUDA says, and in which process, if that is not the program itself."""
    return f"{event.message} (in {event.process})" if event.process else event.message


def told(event: DeviceEvent) -> Iterator[str]:
    """The line that crashes, and for each operand where it is and since when."""
    event = in_files(event)
    if event.stack:
        yield f"{where(event.stack[0])}: {message_of(event)}"
        yield from _source(event.stack[0])
    else:
        yield message_of(event)
    for operand in event.operands:
        yield from _operand(operand)
    for caller in event.stack[1:]:
        yield f"  called at {where(caller)}"


def _operand(operand: EventOperand) -> Iterator[str]:
    where_it_is = f"{operand.what} is on {operand.device}"
    if not operand.birth:
        yield f"  {where_it_is}"
        return
    yield f"  {where_it_is} since {where(operand.birth[0])}"
    yield from _source(operand.birth[0])
    for root in operand.root_frames:
        yield f"    computed from what was made at {where(root)}"


def _source(frame: Frame) -> Iterator[str]:
    text = linecache.getline(frame[0], frame[1]).strip()
    if text:
        yield f"      {text}"
