"""Conditions that tell branches apart: two with one key have one truth."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from enum import Enum

from devlint.lower.ir import Node
from devlint.values.payload import Payload


class Sense(Enum):
    """What an outcome of a condition says of the devices chosen at run time."""

    NOTHING = "nothing"
    CPU = "they are the CPU"
    UNMOVED = "what is moved otherwise is not"
    UNCLEAR = "something that is not understood"


Senses = tuple[Sense, Sense]
SILENT: Senses = (Sense.NOTHING, Sense.NOTHING)
#: Those of outcomes under which nothing is moved to an accelerator.
STAYS = frozenset({Sense.CPU, Sense.UNMOVED})

#: The operators of tests for what is written out; their opposites are the same tests, negated.
COMPARISONS = frozenset({"is", "==", "<", "<=", ">", ">="})

#: The first part of the key of a condition that tells methods apart.
WRITER = "writer"


@dataclass(frozen=True, slots=True)
class Condition(Payload):
    """`senses` are those of the key being true and false; with `is_negated` it is `not key`."""

    key: Hashable
    senses: Senses = field(default=SILENT, compare=False)
    is_negated: bool = field(default=False, compare=False)
    #: A value that the test tells something of, and what it is where the key is true and false.
    subject: object = field(default=None, compare=False, repr=False)
    narrowed: tuple[object, object] = field(default=(None, None), compare=False, repr=False)
    #: The keys of that value and of what it holds: there are no such objects where it is None.
    objects: frozenset[Hashable] = field(default=frozenset(), compare=False, repr=False)
    #: Whether the key is true, where that was certain when it was evaluated.
    known: bool | None = field(default=None, compare=False, repr=False)
    #: The loop whose rounds it tells apart, as it compares what each of them has anew.
    loop: Node | None = field(default=None, compare=False, repr=False)
    #: Whether it asks for a file.
    asks_for_file: bool = field(default=False, compare=False, repr=False)
    #: Whether it is of an argument of the call that runs.
    asks_argument: bool = field(default=False, compare=False, repr=False)
    #: Functions that keep what it asks something of, and are called to make that anew if need be.
    keepers: tuple[Node, ...] = field(default=(), compare=False, repr=False)
    #: The opposite, once it has been asked for: that is asked for again and again.
    _opposite: Condition | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def is_option(self) -> bool:
        """Whether it is the truth of a name, or of an attribute of one, or compares such a thing
        with what is written out, or asks for a key in it, and tells no device; or whether it asks
        for a file."""
        return self.asks_for_file or (is_named(self.asked) and self.senses == SILENT)

    @property
    def asked(self) -> Hashable:
        """The key of what is compared with a constant, or asked for one; else that of the test."""
        match self.key:
            case ("in", ("constant", _), asked):
                return asked
            case (_, asked, _) if self.is_of_constant:
                return asked
        return self.key

    @property
    def asks_for_none(self) -> bool:
        """Whether it is what `x is None` or `x is not None` asks."""
        return is_of_none(self.key)

    @property
    def asks_for_want(self) -> bool:
        """Whether it asks if something is missing, and perhaps if it will do."""
        key = self.key
        parts = key[1:] if isinstance(key, tuple) and key[0] in ("and", "or") else (key,)
        return any(map(is_of_none, parts))

    @property
    def is_of_constant(self) -> bool:
        """Whether it is what `x is None`, `x == "text"` or `x > 0` asks."""
        match self.key:
            case (op, _, ("constant", _)):
                return op in COMPARISONS
        return False

    @property
    def asks_for_place(self) -> bool:
        """Whether it is what `x.is_cuda` and `x.device.type == "cuda"` ask: where a value is, of
        which nothing else is known."""
        match self.key:
            case (".", _, "is_cuda") | ("==", (".", (".", _, "device"), "type"), ("constant", _)):
                return True
        return False

    @property
    def tells_writer(self) -> bool:
        """Whether it tells which method has written an attribute last."""
        return isinstance(self.key, tuple) and self.key[:1] == (WRITER,)

    def negated(self) -> Condition:
        if self._opposite is None:
            opposite = replace(self, is_negated=not self.is_negated)
            object.__setattr__(self, "_opposite", opposite)
            return opposite
        return self._opposite

    def upright(self, truth: bool) -> tuple[Condition, bool]:
        """The same assumption about the key itself."""
        return (self.negated(), not truth) if self.is_negated else (self, truth)

    def sense(self, truth: bool) -> Sense:
        condition, truth = self.upright(truth)
        return condition.senses[0 if truth else 1]

    def finds_accelerator(self, truth: bool) -> bool:
        """Whether there is an accelerator where it comes out as `truth`, and none otherwise: not
        what a flag says, which may be of another one."""
        is_told = self.sense(truth) is Sense.NOTHING and self.sense(not truth) is Sense.CPU
        return is_told and not is_named(self.key)


def is_named(key: Hashable) -> bool:
    """Whether it is the key of a name, or of an attribute of one."""
    while isinstance(key, tuple) and key[:1] == (".",):
        key = key[1]
    return isinstance(key, tuple) and key[:1] == ("value",)


def upright(decision: tuple[Hashable, bool]) -> tuple[Hashable, bool]:
    """A test and how it came out, told of the key of the test."""
    test, truth = decision
    return test.upright(truth) if isinstance(test, Condition) else decision


def joined_flags(one: object, other: object, test: Hashable | None) -> Condition | None:
    """What is True on one of two paths and False on the other tells what the test between them
    does."""
    if not (isinstance(one, bool) and isinstance(other, bool) and isinstance(test, Condition)):
        return None
    return test if one else test.negated()


def is_of_none(key: Hashable) -> bool:
    """Whether it is the key of `x is None`, or of its opposite."""
    match key:
        case ("is" | "is not", _, ("constant", "None")):
            return True
    return False
