"""Why there is no value where devices clash on the way to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devlint.event import Combine, Event, Feed, Operand, Use, origins
from devlint.interpret.language.observer import Clash
from devlint.lower import ir

CAUSE = "it comes from an operation whose operands are on different devices, which fails"


def places(clash: Clash) -> Sequence[tuple[ir.Node, str]]:
    """Where what meets came to its devices, the oldest first, and where it meets."""
    return (*sides(clash.event), (clash.node, "combined here"))


def sides(event: Event | None) -> Iterator[tuple[ir.Node, str]]:
    if isinstance(event, Combine):
        yield from origins(event.operands, name)
    elif isinstance(event, Feed):
        yield from origins((event.module, *event.inputs), name)
    elif isinstance(event, Use):
        for each in event.attaches:
            yield each.move.node, f"the module: {each.move.text}"
            yield each.site, f"`{each.name}`: assigned here, on the CPU"


def name(operand: Operand) -> str:
    return operand.told("a value")
