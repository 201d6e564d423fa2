"""The tables of signals and events, in Markdown.

`python -m devlint.testing.signal_table docs/signals.md` brings a document up to date.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args

from devlint import event
from devlint.interpret.core import signals
from devlint.interpret.core.signals import Revisable, Signal
from devlint.testing.table import main, shown, table

#: The comment above a field, and the name of the field.
REMARK = re.compile(r"^ +#: (?P<text>.+)\n +(?P<name>\w+):", re.M)
EVENTS: tuple[type, ...] = get_args(event.Event)


def signal_rows() -> Iterator[tuple[str, ...]]:
    for kind in vars(signals).values():
        if isinstance(kind, type) and issubclass(kind, Signal) and kind not in (Signal, Revisable):
            is_revisable = issubclass(kind, Revisable)
            yield f"`{kind.__name__}`", "yes" * is_revisable, described(kind), listed(kind)


def event_rows() -> Iterator[tuple[str, ...]]:
    for kind in EVENTS:
        does_raise = bool(getattr(kind, "is_failure", False))
        yield f"`{kind.__name__}`", "yes" * does_raise, described(kind), listed(kind)


def part_rows() -> Iterator[tuple[str, ...]]:
    """What is in the fields of events and is no event itself."""
    for kind in (vars(event)[name] for name in event.__all__):
        if isinstance(kind, type) and is_dataclass(kind) and kind not in EVENTS:
            yield f"`{kind.__name__}`", described(kind), listed(kind)


def described(kind: Any) -> str:
    """The docstring of a class and the comments on its fields, in a line."""
    remarks = REMARK.finditer(inspect.getsource(kind))
    told = (f"`{remark['name']}`: {remark['text']}" for remark in remarks)
    return " ".join([*(inspect.getdoc(kind) or "").split(), *told])


def listed(kind: Any) -> str:
    """The fields with their types."""
    return ", ".join(f"`{each.name}: {each.type}`" for each in fields(kind)).replace("|", "\\|")


def updated(document: str) -> str:
    """The document with the tables of today's signals and events."""
    tables = {
        "signals": table(("signal", "revisable", "when", "fields"), signal_rows()),
        "events": table(("event", "raises", "what", "fields"), event_rows()),
        "parts": table(("part", "what", "fields"), part_rows()),
    }
    for name, content in tables.items():
        document = shown(document, name, content)
    return document


if __name__ == "__main__":
    main(updated)
