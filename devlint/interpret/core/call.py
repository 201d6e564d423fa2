"""Calls whose arguments have been evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from devlint.facts.signature import Parameter, Signature
from devlint.lower import ir
from devlint.values.value import Value


@dataclass(slots=True, unsafe_hash=True)
class Argument:
    node: ir.Expression
    value: Value


@dataclass(slots=True, unsafe_hash=True)
class Arguments:
    """`rest` are the items of `*x`, `mapped` what `**x` spreads, where that is not known item by
    item; `is_open`: what is not named here may still be given."""

    positional: tuple[Argument, ...] = ()
    keywords: dict[str, Argument] = field(default_factory=dict)
    rest: tuple[Argument, ...] = ()
    is_open: bool = False
    mapped: tuple[Argument, ...] = ()

    def get(self, index: int | None, name: str) -> Argument | None:
        """The argument of a parameter at a position (None: keyword only)."""
        if name in self.keywords:
            return self.keywords[name]
        if index is not None and index < len(self.positional):
            return self.positional[index]
        return None

    def bound(self, listed: Signature) -> list[tuple[Parameter, Argument]]:
        """The arguments that a signature lists, with the parameters that take them."""
        return [(parameter, a) for parameter, a in self.paired(listed) if parameter is not None]

    def paired(self, listed: Signature) -> list[tuple[Parameter | None, Argument]]:
        """The arguments with the parameters that take them, as far as a signature lists them."""
        pairs = [(listed.positional(i), a) for i, a in enumerate(self.positional)]
        return pairs + [(listed.keyword(name), a) for name, a in self.keywords.items()]

    def named(self, listed: Signature) -> dict[str, Argument]:
        """The arguments that have a name, by a signature or where they are given."""
        return {parameter.name: a for parameter, a in self.bound(listed)} | dict(self.keywords)

    def __iter__(self) -> Iterator[Argument]:
        yield from self.positional
        yield from self.rest
        yield from self.keywords.values()


#: What a call without arguments gives.
NO_ARGUMENTS = Arguments()


#: In the place of the receiver of a plain function.
NO_RECEIVER = Value()


@dataclass(slots=True, unsafe_hash=True)
class Call:
    """`name` is that of the function as facts know it, or of the method of `receiver`."""

    node: ir.Call
    name: str
    receiver: Value
    arguments: Arguments

    @property
    def is_method(self) -> bool:
        return self.receiver is not NO_RECEIVER
