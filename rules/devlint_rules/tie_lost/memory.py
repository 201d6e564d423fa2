"""Parameters, and the tensors in their memory."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

from devlint.api import (
    PARAMETER,
    Analysis,
    AttributeGiven,
    Called,
    Child,
    Converted,
    Followed,
    Kind,
    Run,
    Tag,
    Transferred,
    Value,
    module_state,
    on,
    written,
)

PARAMETERS = frozenset({"weight", "bias"})


@dataclass(frozen=True, slots=True)
class Shares(Tag):
    """Of the parameter `name` of a module, `whole`, and of what is in its memory as long as it is
    not moved; `is_new`: of another parameter that was made there."""

    whole: Hashable
    name: str
    text: str = field(compare=False)
    is_new: bool = False


class ParameterMemory(Analysis[Run]):
    """Says which tensors are in the memory of which parameter."""

    @on(AttributeGiven)
    def read(self, signal: AttributeGiven) -> Value | None:
        name, whole, value = signal.node.name, signal.whole, signal.value
        within = whole.tag(Shares)
        if within is not None:
            return value.tagged(within) if name == "data" else None
        tag = value.tag(Shares)
        is_known = tag is not None and not tag.is_new
        if is_known or name not in PARAMETERS or whole.ref is None or not may_be_parameter(value):
            return None
        return value.tagged(Shares(whole.ref, name, written(signal.node)))

    @on(Followed)
    def follow(self, signal: Followed) -> Value | None:
        return self.keep(signal.value, signal.before) if signal.call.name == "detach" else None

    @on(Transferred)
    def transfer(self, signal: Transferred) -> Value | None:
        """What was moved is in the same memory where it was there already: on the CPU."""
        return self.keep(signal.value, signal.before)

    def keep(self, value: Value, before: Value) -> Value | None:
        tag = before.tag(Shares)
        return None if tag is None else value.tagged(tag)

    @on(Converted)
    def convert(self, signal: Converted) -> Value:
        return signal.value.untagged(Shares)

    @on(Called)
    def wrap(self, signal: Called) -> Value | None:
        """`nn.Parameter(tensor)` is another parameter, in the memory of the tensor."""
        tag = signal.value.tag(Shares)
        if tag is None or not signal.makes_parameter:
            return None
        return signal.value.tagged(replace(tag, is_new=True))


def may_be_parameter(value: Value) -> bool:
    return value.payload == PARAMETER or value.kind is Kind.UNKNOWN


def held_under(run: Run, whole: Hashable, part: Hashable, name: str) -> str | None:
    """The attribute of `whole` under which it has what its part has under a name, if it has it."""
    if part == whole:
        return name
    line = frozenset(ancestors(part))
    for each in line:
        if isinstance(each, Child) and each.parent == whole:
            return str(each.key)
    for key, item in run.instance(whole).contents:
        if any(inner.ref in line for inner in module_state.parts(run, item, set())):
            return str(key)
    return None


def ancestors(ref: Hashable) -> Iterator[Hashable]:
    """An object and those, of which little is known, that it is a part of."""
    yield ref
    while isinstance(ref, Child):
        ref = ref.parent
        yield ref
