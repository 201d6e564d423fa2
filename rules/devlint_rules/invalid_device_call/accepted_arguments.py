"""What `.cuda` and `.cpu` of tensors and modules take."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.api import Call


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a method takes: so many things by position, and these by name."""

    by_position: int
    by_name: frozenset[str]


TENSOR = {
    "cuda": Accepted(2, frozenset({"device", "non_blocking", "memory_format"})),
    "cpu": Accepted(0, frozenset({"memory_format"})),
}
MODULE = {"cuda": Accepted(1, frozenset({"device"})), "cpu": Accepted(0, frozenset())}


def refused(call: Call, accepted: Accepted) -> str | None:
    """What of the arguments a method does not take, if it takes others."""
    arguments = call.arguments
    if arguments.is_open or arguments.mapped:
        return None
    for name in arguments.keywords:
        if name not in accepted.by_name:
            return f"`{call.name}` takes no `{name}`: this raises"
    if len(arguments.positional) > accepted.by_position:
        return f"`{call.name}` takes no more than {accepted.by_position} arguments: this raises"
    given = arguments.get(0, "device")
    if given is not None and isinstance(given.value.payload, bool):
        return f"`{call.name}` takes a device, not a flag: this raises"
    return None
