"""What both front ends give, and what they gather on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import NamedTuple

from devlint.finding import Edit, Span
from devlint.lower import ir
from devlint.lower.change import Change

#: How many bits a line or an offset takes.
BITS = 32
MASK = (1 << BITS) - 1
#: What may stand in a plain text beside letters and digits.
MARKS = str.maketrans(dict.fromkeys(":_./-", "x"))


@dataclass(frozen=True, slots=True)
class Lowered:
    """`spans` gives the span of each node asked for; a cell is never set.

    A `Clause` spans from its target to its last expression, a `Case` its body, the `Module`
    nothing at its start; every other node has the span that `ast` gives it.

    `edits` gives the text edits that changes come to; None when one of them does not apply.
    """

    module: ir.Module
    spans: Callable[[Iterable[ir.Node]], dict[ir.Node, Span]]
    edits: Callable[[Sequence[Change]], tuple[Edit, ...] | None] = lambda changes: None


class Seen(list[str]):
    """The identifiers met so far, the attribute names stored to, and whether a `yield` was met."""

    __slots__ = ("has_yield", "stores")

    def __init__(self) -> None:
        super().__init__()
        self.stores: list[str] = []
        self.has_yield = False

    def store(self, target: ir.Expression) -> ir.Expression:
        if isinstance(target, ir.Attribute):
            self.stores.append(target.name)
        elif isinstance(target, ir.Display):
            for item in target.items:
                self.store(item)
        elif isinstance(target, ir.Starred):
            self.store(target.value)
        return target


def assigned(
    node: object,
    targets: tuple[ir.Expression, ...],
    value: ir.Expression,
    words: Callable[[], frozenset[str]],
) -> ir.Assign | ir.Def:
    """An assignment. `f = lambda x: y` defines a function as `def` does."""
    if not isinstance(value, ir.Lambda) or len(targets) > 1 or not isinstance(targets[0], ir.Name):
        return ir.Assign(node, targets, value)
    body = (ir.Return(value.at, value.body),)
    name = targets[0].id
    return ir.Def(node, name, value.params, body, (), None, False, words(), frozenset())


def spread(args: Iterable[ir.Expression]) -> Iterator[ir.Expression]:
    """Positional arguments, with the items of `*(a, b)` as if they were written out."""
    for each in args:
        display = each.value if isinstance(each, ir.Starred) else None
        if isinstance(display, ir.Display) and display.kind != "set":
            yield from spread(display.items)
        else:
            yield each


def plain(text: str) -> str | None:
    """A text of an f-string, if it is written as it is: as plain as `cuda:` and `layer_`."""
    return text if text.isascii() and (not text or text.translate(MARKS).isalnum()) else None


@dataclass(slots=True)
class Pattern:
    """What a pattern binds and mentions."""

    captures: dict[str, None] = field(default_factory=dict)
    mentions: list[ir.Expression] = field(default_factory=list)

    def bind(self, name: str | None, seen: Seen) -> None:
        if name is not None:
            self.captures[name] = None
            seen.append(name)

    def parts(
        self, subject: ir.Expression, asked: str
    ) -> tuple[tuple[str, ...], tuple[ir.Expression, ...], ir.Implied | None]:
        """What `ir.Case` begins with."""
        mentions = tuple(self.mentions)
        return tuple(self.captures), mentions, implied_test(asked, subject, mentions)


def implied_test(
    asked: str, subject: ir.Expression, mentions: tuple[ir.Expression, ...]
) -> ir.Implied | None:
    """What a pattern asks of the subject, as if that were written with operators; None where it
    asks for more than one of `values` or `classes`."""
    if asked == "classes":
        at = mentions[0].at
        kinds = mentions[0] if len(mentions) == 1 else ir.Display(at, "tuple", mentions)
        return ir.Call(at, ir.Name(at, "isinstance"), (subject, kinds), ())
    if asked != "values":
        return None
    tests = tuple([ir.Compare(each.at, subject, (operator(each),), (each,)) for each in mentions])
    return tests[0] if len(tests) == 1 else ir.Logic(mentions[0].at, "or", tests)


def comparison(
    at: object, left: ir.Expression, ops: tuple[str, ...], others: tuple[ir.Expression, ...]
) -> ir.Compare:
    """`x == None` asks what `x is None` does."""
    if len(ops) == 1 and isinstance(others[0], ir.Constant) and others[0].value is None:
        ops = ({"==": "is", "!=": "is not"}.get(ops[0], ops[0]),)
    return ir.Compare(at, left, ops, others)


def operator(value: ir.Expression) -> str:
    """How `case` compares with a value."""
    is_singleton = isinstance(value, ir.Constant) and isinstance(value.value, (bool, NoneType))
    return "is" if is_singleton else "=="


class Position(NamedTuple):
    """Lines are counted from one, offsets are those in bytes of UTF-8 from their starts."""

    line: int
    offset: int
    end_line: int
    end_offset: int


def packed(number: int, line: int, offset: int, end_line: int, end_offset: int) -> int:
    """A position in the text of a number as one integer, which weighs little and holds nothing that
    the garbage collector would have to follow."""
    return ((number << BITS | line) << BITS | offset) << 2 * BITS | end_line << BITS | end_offset


def unpacked(at: int) -> Position:
    return Position(*(at >> shift * BITS & MASK for shift in (3, 2, 1, 0)))


def number_of(node: ir.Node) -> int | None:
    """The number of the text that a node is of; None where its syntax is kept."""
    return node.at >> len(Position._fields) * BITS if isinstance(node.at, int) else None
