"""What a shifted run of tests comes to: its calls, and what CUDA refused in them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from devlint.confirm.device_tags.device_event import DeviceEvent, from_plain, plain


@dataclass(frozen=True, slots=True)
class ShiftedEvent:
    """An event, in a call of `callee` that `test` has made."""

    event: DeviceEvent
    callee: str
    test: str


@dataclass(slots=True)
class Tally:
    """`counts`: of calls and of what became of them, by name.

    `unjudged`: where events happened whose operands nobody carried, and how often.
    """

    counts: Counter[str] = field(default_factory=Counter)
    events: list[ShiftedEvent] = field(default_factory=list)
    unjudged: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    _last_left: int = 0

    def note(self, event: ShiftedEvent) -> None:
        """Keep the first event at a line, and the first of a culprit, whichever test found it."""
        self.counts["events"] += 1
        if not any(_is_one(each.event, event.event) for each in self.events):
            self.events.append(event)

    def leave(self, place: str, call: int) -> None:
        """An event there, in the call of that number, is not judged."""
        self.unjudged[place] += 1
        self.counts["unjudged calls"] += call != self._last_left
        self._last_left = call

    def add(self, told: dict[str, Any]) -> None:
        """What another process has counted."""
        for name in ("counts", "unjudged", "missed"):
            getattr(self, name).update(told[name])
        for each in told["events"]:
            event = from_plain(each["event"])
            self.note(ShiftedEvent(event, each["callee"], each["test"]))
            self.counts["events"] -= 1  # It is among those that were counted there.

    def plain(self) -> dict[str, Any]:
        """The tally as what every format of data has; `add` takes it."""
        events = [
            {"event": plain(each.event), "callee": each.callee, "test": each.test}
            for each in self.events
        ]
        counters = {name: dict(getattr(self, name)) for name in ("counts", "unjudged", "missed")}
        return {**counters, "events": events}


def _is_one(first: DeviceEvent, second: DeviceEvent) -> bool:
    """Whether both crash at one line, or for what one line has made."""
    return first.stack[:1] == second.stack[:1] or _culprits(first) == _culprits(second)


def _culprits(event: DeviceEvent) -> object:
    """The lines that made what is on the CPU, or what it was computed from; if nothing is there,
    the line that asks for it."""
    on_cpu = [each for each in event.operands if each.device == "cpu"]
    lines = {frame for each in on_cpu for frame in each.root_frames or each.birth[:1]}
    return sorted(lines) or event.stack[:1]
