"""What annotations say of values: tensors, numbers, containers of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from devlint.lower import ir
from devlint.queries.dotted_names import last_word
from devlint.queries.name_conventions import names_device, words_of
from devlint.values.value import Kind, Value

NUMBERS = frozenset({"int", "float", "bool", "str"})
LISTS = frozenset({"list", "tuple", "List", "Tuple", "Sequence", "Iterable"})
DICTS = frozenset({"dict", "Dict", "Mapping", "MutableMapping"})


class Annotated(NamedTuple):
    """A kind of value; UNKNOWN: one of several. `is_of_tensors`: it is, or holds, tensors."""

    kind: Kind
    is_of_tensors: bool = False
    may_be_none: bool = False


NO_VALUE = Annotated(Kind.CONSTANT, may_be_none=True)


def annotated(node: ir.Expression | None) -> Annotated | None:
    """What an annotation stands for; None where it names anything else than tensors, numbers and
    containers of them. (A plain `tuple` does not say what it is of.)"""
    if isinstance(node, ir.Constant):
        return NO_VALUE if node.value is None else None
    if isinstance(node, ir.Binary):
        return one_of((node.left, node.right))
    if isinstance(node, ir.Subscript):
        return subscripted(last_word(node.value), arguments(node.index))
    return named(last_word(node)) if node is not None else None


def declared(parameter: ir.Parameter) -> Annotated | None:
    """What an argument is annotated as; a text by the name of a device names one."""
    node = parameter.annotation
    found = annotated(node)
    is_text = node is not None and "str" in words_of(node)
    return None if is_text and names_device(parameter.name) else found


def as_declared(value: Value, declared: Annotated | None) -> Value:
    """What is declared to be a tensor is one, if nothing else is known of it."""
    if declared is None or declared.may_be_none or value.kind is not Kind.UNKNOWN:
        return value
    return replace(value, kind=Kind.TENSOR) if declared.kind is Kind.TENSOR else value


def named(word: str) -> Annotated | None:
    if word.endswith("Tensor"):
        return Annotated(Kind.TENSOR, is_of_tensors=True)
    if word in NUMBERS:
        return Annotated(Kind.NUMBER)
    return None


def subscripted(word: str, inner: tuple[ir.Expression, ...]) -> Annotated | None:
    if word == "Optional":
        found = one_of(inner)
        return found and found._replace(may_be_none=True)
    if word == "Union":
        return one_of(inner)
    if word in LISTS | DICTS:
        held = one_of(inner[1:] if word in DICTS else inner)
        # Items that may be None are no tensors for sure, as those of a container of tensors are.
        kind = Kind.UNKNOWN if held is not None and held.may_be_none else Kind.CONTAINER
        return held and Annotated(kind, held.is_of_tensors)
    # Of `Float[Tensor, "batch"]` and `Annotated[Tensor, ..]`, the first.
    found = annotated(inner[0]) if inner else None
    return found if found is not None and found.kind is Kind.TENSOR else None


def arguments(index: ir.Expression) -> tuple[ir.Expression, ...]:
    """What a type is subscripted with, the dots of `Tuple[Tensor, ...]` left out."""
    found = index.items if isinstance(index, ir.Display) else (index,)
    return tuple(each for each in found if not is_dots(each))


def is_dots(node: ir.Expression) -> bool:
    return isinstance(node, ir.Constant) and node.value is ...


def one_of(nodes: Iterable[ir.Expression]) -> Annotated | None:
    """Any of several; of tensors if one of them is."""
    found = [annotated(node) for node in nodes]
    known = [each for each in found if each is not None]
    if len(known) < len(found) or not known:
        return None
    kinds = {each.kind for each in known if each != NO_VALUE}
    return Annotated(
        kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN,
        any(each.is_of_tensors for each in known),
        any(each.may_be_none for each in known),
    )


def is_tensor_type(annotation: ir.Expression | None) -> bool:
    """`Tensor`, `torch.Tensor | None`, but no union with numbers and no list of tensors."""
    found = annotated(annotation)
    return found is not None and found.kind is Kind.TENSOR
