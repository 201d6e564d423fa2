"""The record of what CUDA would have refused; it raises CUDA's own exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from devlint.confirm.device_tags.device_event import (
    BufferExportError,
    DeviceError,
    DeviceEvent,
    EventOperand,
    ExportError,
)
from devlint.confirm.device_tags.provenance import stack
from devlint.confirm.device_tags.tag import claim_of, device_of, inner_tensors


@dataclass(slots=True)
class Record:
    """The device events of a run. `goes_on`: none of them raises, for all data is on the CPU.

    `hear` is told of each; only without one they are kept, for a loop may have any number. `last`
    is kept anyway, and `lists` are of those who want all for a while. `miss` is told of kinds and
    names of what nobody sees into. `judge` decides of an event, and the tensors that are its last
    operands, whether it raises; then nobody else hears of it.
    """

    goes_on: bool = False
    events: list[DeviceEvent] = field(default_factory=list)
    hear: Callable[[DeviceEvent], None] | None = None
    last: DeviceEvent | None = None
    miss: Callable[[str, str], None] | None = None
    lists: list[list[DeviceEvent]] = field(default_factory=list)
    judge: Callable[[DeviceEvent, Sequence[Any]], bool] | None = None

    @contextmanager
    def listed(self) -> Iterator[list[DeviceEvent]]:
        """The events until the block ends."""
        events: list[DeviceEvent] = []
        self.lists.append(events)
        try:
            yield events
        finally:
            self.lists[:] = [each for each in self.lists if each is not events]

    def overlook(self, kind: str, name: str) -> None:
        """What happens in it cannot be seen."""
        if self.miss:
            self.miss(kind, name)

    def refuse(
        self,
        kind: str,
        message: str,
        tensors: Iterable[Any] = (),
        error: type[DeviceError | ExportError | BufferExportError] = DeviceError,
        operands: Iterable[EventOperand] = (),
    ) -> None:
        name, tensors = (error.__base__ or error).__name__, [*tensors]
        event = DeviceEvent(kind, name, message, stack(), (*operands, *map(_operand, tensors)))
        if not self._raises(event, tensors):
            return
        raised = error(message)
        raised.event = event
        if hasattr(raised, "add_note"):  # Since Python 3.11.
            for words in event.births():
                raised.add_note(f"devlint: {words}")
        raise raised

    def _raises(self, event: DeviceEvent, tensors: Sequence[Any]) -> bool:
        self.last = event
        for events in self.lists:
            events.append(event)
        if self.judge:
            return self.judge(event, tensors)
        (self.hear or self.events.append)(event)
        return not self.goes_on


def _operand(tensor: Any) -> EventOperand:
    # A wrapper, such as a view of a nested tensor, is made anew more often than what is in it.
    inside = inner_tensors(tensor)
    claim = claim_of(inside[0] if inside else tensor)
    birth, roots = (claim.birth, claim.roots) if claim else ((), ())
    return EventOperand(str(device_of(tensor)), tuple(tensor.shape), birth, roots)
