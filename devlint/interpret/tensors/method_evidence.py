"""What the call of a method tells of its receiver, which is out of view."""

from __future__ import annotations

from devlint.facts.signature import Mark, signature
from devlint.facts.table import method_fact
from devlint.facts.tensors import ARRAY_METHODS, REDUCTIONS, TENSOR_METHODS
from devlint.interpret.core.call import Arguments, Call
from devlint.values.value import Kind, Value


def is_of_array(call: Call) -> bool:
    """Whether it is a tensor or an array, or at least nothing that moves in place."""
    if call.name in REDUCTIONS:
        is_plain = all(each.value.is_number for each in call.arguments)
        return is_plain and not call.arguments.is_open
    return call.name in ARRAY_METHODS and fits(call.name, call.arguments)


def is_of_tensor(call: Call) -> bool:
    """Whether it is a tensor."""
    return call.name in TENSOR_METHODS and fits(call.name, call.arguments)


def fits(method: str, arguments: Arguments) -> bool:
    """Whether the method of tensors takes these arguments: a layer of that name takes a tensor."""
    fact = method_fact(method)
    if fact is None:
        return True
    places = signature(fact.signature)
    given = [(places.positional(at), each.value) for at, each in enumerate(arguments.positional, 1)]
    return all(
        place is not None and not (place.mark is Mark.SETTING and is_somewhere(value))
        for place, value in given
    )


def is_somewhere(value: Value) -> bool:
    """Whether a value is a tensor or has a device, as no number has."""
    return value.kind is Kind.TENSOR or value.device.is_known
