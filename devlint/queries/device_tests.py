"""What the text of a test says of the devices that a program chooses at run time."""

from __future__ import annotations

from collections.abc import Callable, Set

from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.dotted_names import last_word, path
from devlint.queries.name_conventions import (
    mentions_backend,
    names_accelerator,
    names_cpu,
    names_device,
)
from devlint.values.condition import SILENT, Sense, Senses
from devlint.values.device import ACCELERATORS

CUDA = frozenset({"cuda", "accelerator"})
OTHER_BACKENDS = ACCELERATORS - {"cuda", "hip"}
ON_IF_TRUE: Senses = (Sense.NOTHING, Sense.CPU)
CPU_IF_TRUE: Senses = (Sense.CPU, Sense.NOTHING)
NEITHER: Senses = (Sense.UNCLEAR, Sense.UNCLEAR)
#: What tells where a value is: no choice of the program's.
PLACES = frozenset({"is_cuda", "device", "get_device"})


def senses(
    test: ir.Expression,
    others: Set[str] = OTHER_BACKENDS,
    before: Callable[[ir.Expression], Senses | None] = lambda _: None,
) -> Senses:
    """What the test being true and being false say of the devices chosen at run time.

    `others` are the backends that there are beside CUDA; `before` knows parts that were asked
    before and kept.
    """
    if isinstance(test, ir.Unary) and test.op == "not":
        true, false = senses(test.operand, others, before)
        return false, true
    if isinstance(test, ir.Logic):
        parts = [(value, senses(value, others, before)) for value in test.values]
        told = [part for value, part in parts if part != SILENT or not is_option(value)]
        return combined(test.op, told) if told else SILENT
    if (known := before(test)) is not None:
        return known
    if isinstance(test, ir.Compare):
        return compared(test, others)
    words = path(test)
    if words[-1:] == ["is_available"] and len(words) > 1 and words[-2] not in CUDA | others:
        return SILENT  # Of something else: `nccl.is_available()`.
    return flagged(words[-1] if words else "", others.isdisjoint(words))


def combined(op: str, parts: list[Senses]) -> Senses:
    """`and` makes each part true, and false any of them; `or` the other way about."""
    surely, possibly = (0, 1) if op == "and" else (1, 0)
    sure = [part[surely] for part in parts]
    maybe = [part[possibly] for part in parts]
    known = next((s for s in (Sense.CPU, Sense.UNCLEAR) if s in sure), Sense.NOTHING)
    others = Sense.NOTHING if Sense.NOTHING in maybe else Sense.UNCLEAR
    vague = maybe[0] if len(set(maybe)) == 1 else others
    return (known, vague) if op == "and" else (vague, known)


def is_option(test: ir.Expression) -> bool:
    """Whether a test is a mere name, which may be any option of the program's: beside what decides
    on the devices it decides on them, too."""
    if isinstance(test, ir.Unary) and test.op == "not":
        test = test.operand
    return isinstance(test, (ir.Name, ir.Attribute)) and last_word(test) not in PLACES


def compared(test: ir.Compare, others: Set[str]) -> Senses:
    sides = (test.left, *test.comparators)
    texts = [s.value for s in sides if isinstance(s, ir.Constant) and isinstance(s.value, str)]
    op = test.ops[0]
    if texts and op in ("==", "is", "in", "!=", "is not", "not in"):
        found = CPU_IF_TRUE if texts[0] == "cpu" else SILENT
        if texts[0].partition(":")[0] in {"cuda", "gpu"} | others:
            found = (Sense.NOTHING, Sense.UNCLEAR)
        return (found[1], found[0]) if op in ("!=", "is not", "not in") else found
    if isinstance(test.left, (ir.Name, ir.Attribute)) and names_device(last_word(test.left)):
        is_there = OF_INDEX.get((op, number(test.comparators[0])))
        if is_there is not None:
            return ON_IF_TRUE if is_there else CPU_IF_TRUE
    if isinstance(test.comparators[0], ir.Constant) and test.comparators[0].value == 0:
        return flagged(last_word(test.left), True) if op == ">" else SILENT
    mentions = {word for side in sides for word in path(side)}
    if "device" in mentions and not any(map(is_literal, sides)):
        return NEITHER
    return SILENT


def is_literal(node: ir.Expression) -> bool:
    if isinstance(node, ir.Unary) and node.op == "-":
        node = node.operand
    return isinstance(node, ir.Constant)


def number(node: ir.Expression) -> object:
    """The constant that is written, with its sign."""
    if isinstance(node, ir.Unary) and node.op == "-":
        found = number(node.operand)
        return -found if isinstance(found, int) else None
    return node.value if isinstance(node, ir.Constant) else None


def flagged(word: str, is_only_backend: bool) -> Senses:
    if word == "is_available" or names_accelerator(word):
        return ON_IF_TRUE if is_only_backend else (Sense.NOTHING, Sense.UNCLEAR)
    return CPU_IF_TRUE if names_cpu(word) else SILENT


#: What `os.path` and `pathlib` say of what a path leads to.
FILE_TESTS = frozenset({"exists", "isfile", "isdir", "is_file", "is_dir"})
#: Comparisons of the index of a device with a number, and whether they hold of an accelerator, or
#: of the CPU, which is -1.
OF_INDEX: dict[tuple[str, object], bool] = {(">", -1): True, (">=", 0): True, ("!=", -1): True}
OF_INDEX |= {("<=", -1): False, ("<", 0): False, ("==", -1): False}
#: Comparisons of a count with a number, and whether they hold of 0, or of all other counts.
OF_NONE: dict[tuple[str, object], bool] = {("==", 0): True, ("<", 1): True, ("<=", 0): True}
OF_NONE |= {("!=", 0): False, (">", 0): False, (">=", 1): False}


def asks_for_file(test: ir.Expression) -> bool:
    """Whether a test is one of what is on the disk, of which the program expects either."""
    return isinstance(test, ir.Call) and last_word(test.func) in FILE_TESTS


def asked_for_elements(test: ir.Expression) -> tuple[ir.Expression, bool] | None:
    """What a test asks for its elements, and whether it holds where there are none: `len(x) == 0`,
    `x.numel()`, `x.shape[0] > 0`."""
    count, holds = test, False
    if isinstance(test, ir.Compare):
        other = test.comparators[0]
        if len(test.ops) > 1 or not isinstance(other, ir.Constant):
            return None
        if (told := OF_NONE.get((test.ops[0], other.value))) is None:
            return None
        count, holds = test.left, told
    counted = with_elements(count)
    return None if counted is None else (counted, holds)


def with_elements(count: ir.Expression) -> ir.Expression | None:
    """What an expression counts the elements of."""
    match count:
        case ir.Subscript(
            value=ir.Attribute(value=whole, name="shape"), index=ir.Constant(value=0)
        ):
            return whole
        case ir.Call(func=ir.Attribute(value=whole, name="numel" | "nelement")):
            return whole
        case ir.Call(func=ir.Attribute(value=whole, name="size"), args=(ir.Constant(value=0),)):
            return whole
        case ir.Call(func=ir.Name(id="len"), args=(whole,)):
            return whole
    return None


def is_guard(test: ir.Expression, flags: frozenset[str] = frozenset()) -> bool:
    """Whether a test has to do with accelerators."""
    if senses(test) != SILENT:
        return True
    names = [getattr(each, "id", getattr(each, "name", "")) for each in walk(test)]
    return not flags.isdisjoint(names) or any(map(mentions_backend, names))
