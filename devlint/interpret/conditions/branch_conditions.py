"""Tests of branches: when two are the same, and what they say of the device in use."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Set
from itertools import chain

from devlint.interpret.conditions.known_answers import ANSWERS
from devlint.interpret.conditions.narrowing import UNTOLD, is_none_test, told_of_value
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.expression_keys import held, key_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.module_state import objects
from devlint.lower import ir
from devlint.lower.walk import is_for_checkers, walk
from devlint.queries.device_tests import (
    CPU_IF_TRUE,
    ON_IF_TRUE,
    OTHER_BACKENDS,
    asks_for_file,
    senses,
)
from devlint.queries.dotted_names import holder, last_word
from devlint.queries.kept_values import called_on_self, kept_places, places_asked
from devlint.queries.loop_context import of_one_round
from devlint.queries.move_tests import tests_of_moves
from devlint.queries.name_conventions import is_main_guard, source_text
from devlint.queries.tensor_evidence import types_asked
from devlint.values.condition import SILENT, Condition, Sense, Senses
from devlint.values.device import On
from devlint.values.value import NONE, Kind, Value

#: Comparisons with True and False, and whether they hold of what is equal.
OF_TRUTH = {("is",): True, ("==",): True, ("is not",): False, ("!=",): False}
#: Comparisons that hold where another one does not.
OPPOSITES: dict[tuple[str, ...], str] = {("!=",): "==", ("is not",): "is", ("not in",): "in"}


def truth(machine: Run, test: ir.Expression) -> bool | Condition:
    """Evaluate a test: its truth where it is written out, else the condition it stands for."""
    return told(machine, test, answered(machine, test))


def told(machine: Run, test: ir.Expression, found: Condition) -> bool | Condition:
    """The truth of a test that has been evaluated, where it is written out, else `found`."""
    if is_for_checkers(test):
        return machine.is_imported  # So packages show what they import when it is asked for.
    if is_main_guard(test):
        return machine.top is machine.home.frame and not machine.is_imported
    if isinstance(test, ir.Name) and machine.loops:
        value = machine.lookup(test.id)
        if value is not None and isinstance(value.payload, bool):
            return value.payload  # A flag such as `first`, which the loop sets.
    if found.known is not None:
        return found.known is not found.is_negated
    if (before := decided(machine, test, found)) is not None:
        return before
    if found.senses != SILENT:
        machine.notes.chooses_device = True
    return found


def answered(machine: Run, test: ir.Expression) -> Condition:
    """Evaluate a test: what it asks, or of a call (`if improved(..)`) what that has asked."""
    if isinstance(test, ir.Unary) and test.op == "not":
        return answered(machine, test.operand).negated()
    value = machine.evaluate(test)
    if isinstance(test, ir.Call) and isinstance(value.payload, Condition):
        return value.payload
    return condition(machine, test)


def decided(machine: Run, node: ir.Expression, test: Condition) -> bool | None:
    """How a test has come out before on this path, in the caller perhaps, of the same values; or
    what a name holds, which has not been bound anew since."""
    if is_fixed(test.key):
        found = machine.here().decision(test)
    elif (flag := machine.bound(flag_of(node))) is not None:
        found = machine.here().decision(test, since=flag[0])
    else:
        return None
    before, truth = found or (None, False)
    if not isinstance(before, Condition):
        return None
    return before.upright(truth)[1] is not test.is_negated


def flag_of(test: ir.Expression) -> str:
    """The name that a test asks for its truth; empty where it asks for more."""
    while (inner := asked_for_truth(test)) is not None:
        test = inner[0]
    return test.id if isinstance(test, ir.Name) else ""


def asked_for_truth(test: ir.Expression) -> tuple[ir.Expression, bool] | None:
    """Of `not x`, `x is True`, `x == False` and the like, what is asked, and for which truth."""
    if isinstance(test, ir.Unary):
        return (test.operand, False) if test.op == "not" else None
    if not isinstance(test, ir.Compare) or test.ops not in OF_TRUTH:
        return None
    other = test.comparators[0]
    if not isinstance(other, ir.Constant) or not isinstance(other.value, bool):
        return None
    return test.left, other.value is OF_TRUTH[test.ops]


def is_fixed(key: Hashable) -> bool:
    """Whether a test is of values alone, not of what is in objects or what calls give; but for
    what those give that always give the same. What a module out of view has is settled, too."""
    if isinstance(key, str):
        return True
    if not isinstance(key, tuple) or key[0] in (".", "[]", "node"):
        return False
    is_call = key[0] == "()" and len(key) == 2
    return is_call or key[0] in ("value", "constant") or all(map(is_fixed, key[1:]))


def condition(machine: Run, test: ir.Expression) -> Condition:
    """The condition of a test that has been evaluated."""
    if isinstance(test, ir.Constant):
        return certain(bool(test.value))
    if (asked := asked_for_truth(test)) is not None:
        found = condition(machine, asked[0])
        return found if asked[1] else found.negated()
    kept = held(machine, test)
    if kept is not None and isinstance(kept.payload, Condition):
        return kept.payload
    if isinstance(test, ir.Logic) and (left := combined(machine, test)) is not None:
        return left
    for answer in ANSWERS:
        if (known := answer(machine, test)) is not None:
            return certain(known)
    key, loop = key_of(machine, test), told_apart(machine, test)
    sense = senses_of(machine, test, is_of_round=loop is not None)
    loop = loop if sense == SILENT else None
    subject, narrowed = told_of_value(machine, test) or UNTOLD
    is_negated = False
    if isinstance(test, ir.Compare) and (op := OPPOSITES.get(test.ops)) is not None:
        key = (op, *key[1:]) if isinstance(key, tuple) else key
        sense, narrowed, is_negated = sense[::-1], narrowed[::-1], True
    return Condition(
        key,
        sense,
        is_negated,
        subject,
        narrowed,
        objects_asked(machine, subject) if NONE in narrowed else frozenset(),
        loop=loop,
        asks_for_file=asks_for_file(test),
        asks_argument=asks_argument(machine, test),
        keepers=keepers_of(machine, test),
    )


def objects_asked(machine: Run, asked: Value | None) -> frozenset[Hashable]:
    """The objects that are there unless a value is None, where it may be, and what they hold."""
    return frozenset[Hashable]() if asked is None else frozenset(objects(machine, asked))


def asks_argument(machine: Run, test: ir.Expression) -> bool:
    """Whether a test is of an argument of the call that runs, as far as its text shows, and not of
    whether there is one."""
    running = machine.activations[-1] if machine.activations else None
    if running is None or not isinstance(running.node, ir.Def) or is_none_test(test):
        return False
    given = running.node.params[1 if running.owner is not None else 0 :]
    names = machine.once(names_in, test)
    return any(each.name in names for each in given)


def names_in(node: ir.Expression) -> frozenset[str]:
    return frozenset(each.id for each in walk(node) if isinstance(each, ir.Name))


def keepers_of(machine: Run, test: ir.Expression) -> tuple[ir.Def, ...]:
    """The function that runs, and methods that it calls of its object: those that keep what a test
    asks something of, though not for where that is."""
    running = machine.activations[-1] if machine.activations else None
    if running is None or not isinstance(running.node, ir.Def):
        return ()
    names = machine.once(called_on_self, running.node) if running.owner is not None else ()
    methods = (running.owner and running.owner.method(name) for name in names)
    functions = (running.node, *(each.node for each in methods if each is not None))
    asked = machine.once(places_asked, test)
    keepers = tuple(
        each
        for each in functions
        if isinstance(each, ir.Def) and not machine.once(kept_places, each).isdisjoint(asked)
    )
    if keepers and all(tells_no_place(machine, machine.evaluate(e)) for e in compared(test)):
        return keepers
    return ()


def compared(test: ir.Expression) -> Iterator[ir.Expression]:
    """What a test compares with one another, or else asks whether it is true."""
    parts: tuple[ir.Expression, ...] = ()
    if isinstance(test, ir.Logic):
        parts = test.values
    elif isinstance(test, ir.Compare):
        parts = (test.left, *test.comparators)
    elif isinstance(test, ir.Unary):
        parts = (test.operand,)
    for each in parts:
        yield from compared(each)
    if not parts:
        yield test


def tells_no_place(machine: Run, value: Value) -> bool:
    """Whether two values that are equal may well be of two devices."""
    if value.kind is Kind.CONTAINER:
        return all(tells_no_place(machine, each) for each in items_of(machine, value))
    return value.kind not in (Kind.UNKNOWN, Kind.DEVICE)


def told_apart(machine: Run, test: ir.Expression) -> ir.Node | None:
    """The innermost loop over something, or comprehension, whose rounds a test tells apart: it asks
    something of what each of them has anew."""
    loop = machine.frame.comprehension or (machine.loops[-1].node if machine.loops else None)
    if not isinstance(loop, (ir.For, ir.Comprehension)):
        return None
    parts = (test.left, *test.comparators) if isinstance(test, ir.Compare) else (test,)
    names = {each.id for part in parts for each in subjects(part) if isinstance(each, ir.Name)}
    return loop if not names.isdisjoint(machine.once(of_one_round, loop)) else None


def subjects(asked: ir.Expression) -> Iterator[ir.Node]:
    """What a part of a test asks something of: `x` of `x.a[0]`; `x` and `y` of `x % y`, `len(x[y])`
    and `x.any(y)`. A test of types comes out alike in all rounds."""
    asked = holder(asked)
    if isinstance(asked, ir.Call) and types_asked(asked):
        return iter(())
    if isinstance(asked, ir.Binary):
        return chain(subjects(asked.left), subjects(asked.right))
    if isinstance(asked, ir.Subscript):
        return subjects(asked.value)
    is_sized = isinstance(asked, ir.Call) and last_word(asked.func) == "len"
    is_method = isinstance(asked, ir.Call) and isinstance(asked.func, ir.Attribute)
    return iter(walk(asked)) if is_sized or is_method else iter((asked,))


def senses_of(machine: Run, test: ir.Expression, *, is_of_round: bool) -> Senses:
    """What a test says of chosen devices: by what it asks, else as it decides what is moved, which
    what tells the rounds of a loop apart does for each of them."""
    own = machine.libraries.devices
    others = OTHER_BACKENDS | own if own else OTHER_BACKENDS
    told = chosen_senses(machine, test) or kept_senses(machine, test, others)
    is_open = told == SILENT and not is_of_round
    moves = machine.once(tests_of_moves, machine.module) if is_open else ()
    if moves and (truth := moves.get(machine.once(source_text, test))) is not None:
        return (Sense.NOTHING, Sense.UNMOVED) if truth else (Sense.UNMOVED, Sense.NOTHING)
    return told


def certain(known: bool) -> Condition:
    return Condition(("known", known), known=known)


def combined(machine: Run, test: ir.Logic) -> Condition | None:
    """What the parts of `and` and `or` leave to decide that are known: one part, or nothing."""
    parts = [condition(machine, each) for each in test.values]
    truths = {each.known is not each.is_negated for each in parts if each.known is not None}
    decisive = test.op == "or"
    if decisive in truths:
        return certain(decisive)
    rest = [each for each in parts if each.known is None]
    if not rest:
        return certain(not decisive)
    return rest[0] if len(rest) == 1 else None


def kept_senses(machine: Run, test: ir.Expression, others: Set[str]) -> Senses:
    """What a test says of chosen devices, those parts of it included that were asked before."""

    def before(part: ir.Expression) -> Senses | None:
        kept = held(machine, part)
        test = kept.payload if kept is not None else None
        return (test.sense(True), test.sense(False)) if isinstance(test, Condition) else None

    return senses(test, others, before)


def chosen_senses(machine: Run, test: ir.Expression) -> Senses | None:
    """What `device == "cuda"` says where `device` has been chosen between that and the CPU."""
    if not isinstance(test, ir.Compare) or test.ops not in (("==",), ("!=",)):
        return None
    left, other = test.left, test.comparators[0]
    is_type = isinstance(left, ir.Attribute) and left.name == "type"
    subject = left.value if is_type and isinstance(left, ir.Attribute) else left
    if not isinstance(subject, ir.Name) or not isinstance(other, ir.Constant):
        return None
    value, text = machine.lookup(subject.id), str(other.value)
    atoms = value.device.possible() if value is not None and value.kind is Kind.DEVICE else ()
    names = {atom.type if is_type and isinstance(atom, On) else str(atom) for atom in atoms}
    if names != {text, "cpu"} or text == "meta":
        return None
    return ON_IF_TRUE if test.ops[0] == "==" else CPU_IF_TRUE
