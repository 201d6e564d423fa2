"""Control flow, with integers for values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

import pytest

from devlint.flow.execution import Execution
from devlint.flow.state import State
from devlint.lower import from_ast, ir

Outcomes = frozenset[tuple[Hashable, bool]]


@dataclass(frozen=True, slots=True)
class Numbers:
    """What an integer may be, each with the outcomes of tests that it needs; none: anything."""

    alternatives: frozenset[tuple[int, Outcomes]] = frozenset()

    def join(self, other: Numbers, test: Hashable | None) -> Numbers:
        if not (self.alternatives and other.alternatives):
            return ANY
        if test is None or self == other:
            return Numbers(self.alternatives | other.alternatives)
        return Numbers(self.needing(test, True) | other.needing(test, False))

    def needing(self, test: Hashable, truth: bool) -> frozenset[tuple[int, Outcomes]]:
        return frozenset((number, needs | {(test, truth)}) for number, needs in self.alternatives)

    def given(self, test: Hashable, truth: bool) -> Numbers:
        return Numbers(
            frozenset(each for each in self.alternatives if (test, not truth) not in each[1])
        )

    def depends(self) -> bool:
        return any(needs for _, needs in self.alternatives)

    def tests(self) -> Iterator[Hashable]:
        return iter(())

    def is_missing(self, key: Hashable, test: Hashable, truth: bool) -> bool:
        return False

    def forgotten(self) -> Numbers:
        return ANY

    def left(self, after: Numbers) -> bool:
        return False

    def plus(self, other: Numbers) -> Numbers:
        return Numbers(
            frozenset((a + b, p | q) for a, p in self.alternatives for b, q in other.alternatives)
        )


ANY = Numbers()


def just(number: int) -> Numbers:
    return Numbers(frozenset({(number, frozenset())}))


class Calculator(Execution[Numbers]):
    """Knows sums, `see(x)`, and names as tests: one name has one truth."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Numbers] = []
        self.returned: list[Numbers] = []
        self.protected = 0

    def evaluate(self, node: ir.Expression | None) -> Numbers:
        if isinstance(node, ir.Constant) and isinstance(node.value, int):
            return just(node.value)
        if isinstance(node, ir.Name):
            return self.here().get(node.id) or ANY
        if isinstance(node, ir.Binary):
            return self.evaluate(node.left).plus(self.evaluate(node.right))
        if isinstance(node, ir.Display):
            values = [self.evaluate(item) for item in node.items]
            return Numbers(frozenset().union(*(value.alternatives for value in values)))
        return ANY

    def assign(self, target: ir.Expression | None, value: Numbers) -> None:
        if isinstance(target, ir.Name):
            self.here().put(target.id, value)

    def simple(self, statement: ir.Statement) -> None:
        if isinstance(statement, ir.Assign):
            self.assign(statement.targets[0], self.evaluate(statement.value))
        elif isinstance(statement, ir.Evaluate) and isinstance(statement.value, ir.Call):
            self.seen.append(self.evaluate(statement.value.args[0]))

    def condition(self, test: ir.Expression) -> Hashable | bool | None:
        if isinstance(test, ir.Constant):
            return bool(test.value)
        return test.id if isinstance(test, ir.Name) else None

    def renew(self, loop: ir.For | ir.While, changed: set[Hashable], entry: State[Numbers]) -> None:
        pass

    def begin_loop(self, loop: ir.For) -> None:
        self.here().put(loop, self.evaluate(loop.iter))

    def next_item(self, loop: ir.For) -> None:
        self.assign(loop.target, self.here().get(loop) or ANY)

    def enter(self, block: ir.With) -> Callable[[], None]:
        for context, target in block.items:
            self.assign(target, self.evaluate(context))

        def leave() -> None:
            if self.state is not None:
                self.state.put("left", just(1))

        return leave

    def matters(self, test: Hashable | None) -> bool:
        return test in self.splits

    def protect(self, block: ir.Try) -> Callable[[], None]:
        self.protected += 1

        def leave() -> None:
            self.protected -= 1

        return leave

    def catch(self, handler: ir.Handler) -> None:
        assert not self.protected
        if handler.name is not None:
            self.here().put(handler.name, ANY)

    def begin_match(self, match: ir.Match) -> None:
        self.here().put(match, self.evaluate(match.subject))

    def capture(self, match: ir.Match, case: ir.Case) -> None:
        for name in case.captures:
            self.here().put(name, self.here().get(match) or ANY)

    def asked(self, test: ir.Implied) -> Hashable | bool:
        return test

    def give_back(self, statement: ir.Return) -> Callable[[], None]:
        value = self.evaluate(statement.value)
        return lambda: self.returned.append(value)

    def widened(self, value: Numbers) -> Numbers:
        return ANY


def ran(source: str) -> Calculator:
    calculator = Calculator()
    calculator.run(from_ast.lower(source).module.body)
    return calculator


def shown(value: Numbers | None) -> str:
    """`1 2` for either of two, `any`, or `unbound`."""
    if value is None:
        return "unbound"
    numbers = sorted({number for number, _ in value.alternatives})
    return " ".join(map(str, numbers)) or "any"


def at_end(source: str, name: str = "x") -> str:
    """What a variable may be at the end; `never` where no path leads there."""
    state: State[Numbers] | None = ran(source).state
    return "never" if state is None else shown(state.get(name))


def seen(source: str) -> list[str]:
    """What each `see(..)` saw, in order."""
    return [shown(value) for value in ran(source).seen]


def returned(source: str) -> list[str]:
    return [shown(value) for value in ran(source).returned]


@pytest.mark.parametrize(
    ("source", "x"),
    [
        ("x = 1\nif f():\n  x = 2", "1 2"),
        ("x = 1\nif f():\n  x = 2\nelse:\n  x = 3", "2 3"),
        ("x = 1\nif f():\n  x = 2\nelif g():\n  x = 3\nelse:\n  x = 4", "2 3 4"),
        ("if f():\n  x = 2", "2"),
        ("x = 1\nif True:\n  x = 2\nelse:\n  x = 3", "2"),
        ("x = 1\nif 0:\n  x = 2", "1"),
        ("x = 1\nif f():\n  x = 2\n  raise E", "1"),
        ("x = 1\nif f():\n  raise E\nelse:\n  raise E", "never"),
        ("x = 1\nassert f()", "1"),
        ("x = 1\nassert False\nx = 2", "never"),
    ],
)
def test_branches_join_where_they_meet(source: str, x: str) -> None:
    assert at_end(source) == x


@pytest.mark.parametrize(
    ("second", "x"),
    [
        ("if a:\n  see(x)", "2"),
        ("if b:\n  see(x)", "1 2"),
        ("if a:\n  pass\nelse:\n  see(x)", "1"),
        ("if b:\n  if a:\n    see(x)", "2"),
        ("if a:\n  x = x + 1\n  see(x)", "3"),
        ("if a:\n  if a:\n    see(x)", "2"),
    ],
)
def test_one_test_has_one_truth(second: str, x: str) -> None:
    assert seen(f"x = 1\nif a:\n  x = 2\n{second}") == [x]


def test_variables_of_one_test_are_correlated() -> None:
    source = (
        "if a:\n  x = 1\n  y = 10\nelse:\n  x = 2\n  y = 20\nif a:\n  z = x + y\nelse:\n  z = 0"
    )
    assert at_end(source, "z") == "0 11"


@pytest.mark.parametrize(
    ("source", "x"),
    [
        ("x = 1\nfor i in (1, 2):\n  x = 2", "2"),
        ("x = 1\nfor i in (4, 5):\n  x = i", "4 5"),
        ("x = 1\nfor i in (1, 2):\n  if f():\n    x = 2", "1 2"),
        ("x = 1\nfor i in (1, 2):\n  if f():\n    x = 2\n    continue\n  x = 3", "2 3"),
        ("x = 1\nfor i in (1, 2):\n  x = 2\n  if f():\n    break\n  x = 3", "2 3"),
        ("x = 1\nfor i in (1, 2):\n  x = 2\nelse:\n  x = 4", "4"),
        ("x = 1\nfor i in (1, 2):\n  if f():\n    x = 2\n    break\nelse:\n  x = 4", "2 4"),
        ("x = 1\nfor i in (1, 2):\n  x = 2\n  break\nelse:\n  x = 4", "2"),
        ("x = 1\nwhile f():\n  x = 2", "2"),
        ("x = 1\nwhile f():\n  if g():\n    continue\n  x = 2", "1 2"),
        ("x = 1\nwhile True:\n  x = 2\n  if f():\n    break\n  x = 3", "2"),
        ("x = 1\nwhile True:\n  x = 2", "never"),
        ("x = 1\nwhile False:\n  x = 2", "1"),
        ("x = 1\nfor i in (1, 2):\n  for j in (1, 2):\n    x = 2\n  x = x + 2", "4"),
        ("x = 1\nfor i in (1, 2):\n  if f():\n    raise E\n  x = 2", "2"),
    ],
)
def test_loops_run_at_least_once_and_to_a_fixed_point(source: str, x: str) -> None:
    assert at_end(source) == x


def test_what_a_round_leaves_is_there_in_the_next() -> None:
    source = "x = 1\ny = 1\nfor i in (1, 2):\n  see(x)\n  x = y\n  y = 2"
    assert seen(source)[-1] == "1 2"


def test_what_never_settles_is_widened() -> None:
    source = "x = 0\ny = 1\nfor i in (1, 2):\n  x = x + 1\n  y = 2"
    assert at_end(source) == "any"
    assert at_end(source, "y") == "2"


@pytest.mark.parametrize(
    ("source", "x"),
    [
        ("x = 1\ntry:\n  x = 2\nexcept E:\n  pass", "1 2"),
        ("x = 1\ntry:\n  x = 2\nexcept E:\n  x = 3", "2 3"),
        ("x = 1\ntry:\n  x = 2\nexcept E:\n  raise", "2"),
        ("x = 1\ntry:\n  x = 2\nexcept E:\n  x = 3\nelse:\n  x = 4", "3 4"),
        ("x = 1\ntry:\n  x = 2\nexcept E:\n  x = x + 10", "2 11 12"),
        ("x = 1\ntry:\n  x = 2\nexcept E:\n  x = 3\nexcept F:\n  x = 4", "2 3 4"),
        ("x = 1\ntry:\n  x = 2\nfinally:\n  x = x + 5", "7"),
        ("x = 1\ntry:\n  x = 2\nexcept E:\n  x = 3\nfinally:\n  x = x + 5", "7 8"),
        ("x = 1\ntry:\n  raise E\nexcept E:\n  x = 3", "3"),
        ("x = 1\ntry:\n  raise E\nfinally:\n  x = 2", "never"),
        ("x = 1\ntry:\n  pass\nexcept E as x:\n  raise", "1"),
    ],
)
def test_handlers_go_on_from_what_was_interrupted(source: str, x: str) -> None:
    assert at_end(source) == x


def test_a_handler_binds_its_exception() -> None:
    assert seen("x = 1\ntry:\n  x = 2\nexcept E as x:\n  see(x)") == ["any"]


@pytest.mark.parametrize(
    ("way_out", "x"), [("return x", "2"), ("raise E", "1"), ("x = 3\n    return x", "3")]
)
def test_what_comes_last_is_run_on_every_way_out(way_out: str, x: str) -> None:
    (last,) = seen(f"x = 1\ntry:\n  if True:\n    x = 2\n    {way_out}\nfinally:\n  see(x)")
    assert x in last.split()


def test_a_loop_is_left_through_what_comes_last() -> None:
    source = "while True:\n  try:\n    x = 2\n    break\n  finally:\n    see(x)"
    assert seen(source) == ["2"]
    assert at_end(source) == "2"


def test_what_comes_last_is_seen_behind_a_loop() -> None:
    source = "while True:\n  try:\n    x = 2\n    break\n  finally:\n    x = x + 5"
    assert at_end(source) == "7"


def test_a_break_in_what_comes_last_takes_the_place_of_a_return() -> None:
    source = "x = 1\nwhile True:\n  try:\n    return 9\n  finally:\n    x = 2\n    break"
    assert ran(source).returned == []
    assert at_end(source) == "2"


@pytest.mark.parametrize(
    ("block", "x", "left"), [("x = x + 1", "2", "1"), ("return x", "never", "never")]
)
def test_contexts_are_entered_and_left(block: str, x: str, left: str) -> None:
    source = f"with 1 as x:\n  {block}"
    assert at_end(source) == x
    assert at_end(source, "left") == left


@pytest.mark.parametrize(
    ("cases", "x"),
    [
        ("  case 1:\n    x = 2", "1 2"),
        ("  case 1:\n    x = 2\n  case _:\n    x = 3", "2 3"),
        ("  case 1:\n    x = 2\n  case y:\n    x = y", "2 7"),
        ("  case 1:\n    raise E\n  case _:\n    x = 3", "3"),
        ("  case y if y:\n    x = 2", "1 2"),
    ],
)
def test_one_case_is_taken_at_most(cases: str, x: str) -> None:
    assert at_end(f"x = 1\nmatch 7:\n{cases}") == x


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("return 1\nreturn 2", ["1"]),
        ("x = 1\nif f():\n  return x\nx = 2\nreturn x", ["1", "2"]),
        ("x = 1\nif a:\n  x = 2\n  return x\nreturn x", ["2", "1"]),
        ("x = 1\nfor i in (1, 2):\n  x = 2\n  return x", ["2"]),
        ("try:\n  return 1\nexcept E:\n  return 2", ["1", "2"]),
    ],
)
def test_early_returns_end_their_path(source: str, values: list[str]) -> None:
    assert returned(source) == values


def test_what_an_early_return_saw_is_kept() -> None:
    calculator = ran("x = 1\nif f():\n  x = 2\n  return x\nx = 3")
    (departed,) = calculator.departed
    assert shown(departed.get("x")) == "2"
