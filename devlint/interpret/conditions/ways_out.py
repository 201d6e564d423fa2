"""The ways out of a call: which tests they have in common, and which part them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from devlint.flow.state import State
from devlint.interpret.core.containers import joined
from devlint.values.condition import Condition, Sense
from devlint.values.value import Value

#: A test that parts two ways out of a call, and how it came out on the first.
Parted = tuple[Condition, bool]


def decided_in_all(
    before: State[Any], ends: list[State[Any]], given: Sequence[Value]
) -> list[tuple[Condition, bool]]:
    """The tests that came out the same way on all paths, latest first, and say something of devices
    or of what the function is given: with any other outcome it raises."""
    others = [{*end.assumed_since(before)} for end in ends[1:]]
    return [
        (test, truth)
        for test, truth in ends[0].assumed_since(before)
        if isinstance(test, Condition)
        and (test.sense(truth) is not Sense.NOTHING or test.subject in given)
        and all((test, truth) in each for each in others)
    ]


def ways_out(before: State[Any], ends: Sequence[State[Any]]) -> list[Mapping[Condition, bool]]:
    """How the tests came out on each of several ways out of a call, the first one first."""
    if len(ends) < 2:
        return [{} for _ in ends]  # Nothing parts it from another one.
    return [decided(before, each) for each in ends]


def decided(before: State[Any], end: State[Any]) -> dict[Condition, bool]:
    found = [each.decided for each in end.above(before) if each.decided is not None]
    return {test: truth for test, truth in reversed(found) if isinstance(test, Condition)}


def parting(ways: Sequence[Mapping[Condition, bool]]) -> Parted | None:
    """The test that came out otherwise on each of two ways out of a call, such as an early return,
    and how it did on the first."""
    if len(ways) != 2:
        return None
    one, other = ways
    return next(((test, one[test]) for test in one if other.get(test) is (not one[test])), None)


def by_tests(ways: Sequence[tuple[Mapping[Condition, bool], Value]]) -> Value:
    """What a call gives by one of several ways out, as the tests have it that part them."""
    for test in ways[0][0] if len(ways) > 1 else ():
        sides = [[way for way in ways if way[0].get(test) is truth] for truth in (True, False)]
        if all(sides) and sum(map(len, sides)) == len(ways):
            return by_tests(sides[0]).join(by_tests(sides[1]), test)
    return joined(value for _, value in ways)
