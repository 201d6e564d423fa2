"""What calls are told about devices."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Argument, Call, effect


def devices(call: Call, fact: effect.Fact) -> Iterator[Argument]:
    """The arguments of a call that say where something is made or put; `dict` takes any names."""
    if isinstance(fact, effect.Inert):
        return
    named = call.arguments.keywords.get("device")
    if named is not None:
        yield named
    first = call.arguments.positional[:1]
    if isinstance(fact, effect.NamesDevice | effect.Moves | effect.MakesGenerator):
        yield from first
