"""What is known of a value, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devlint.report.colour import place

if TYPE_CHECKING:
    from devlint.explain.explanations import Explanation


def statement(one: Explanation) -> str:
    """What an expression gives, and on which device that is."""
    article = "an" if one.noun[0] in "aeiou" else "a"
    what = f"`{one.text}` is {article} {one.noun}"
    if one.device:
        return f"{what}{':' if one.noun == 'device' else ' on'} {one.device}"
    on = "" if one.noun == "device" else " on a device"
    return f"{what}{on} that is not known: {one.why}"


def evidence(one: Explanation) -> Iterator[str]:
    """Where it has its device from, and which calls lead there."""
    yield from (f"{place(*step.location)}: {step.text}" for step in one.steps)
    if one.calls:
        yield f"when called from {', then '.join(place(*call) for call in one.calls)}"
