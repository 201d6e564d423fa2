"""Analyses: questions that are asked of a run, each with what it listens to and what it keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

from devlint.rule.problem import Problem

R = TypeVar("R")
A = TypeVar("A")
S = TypeVar("S")
V = TypeVar("V")

_HEARS = "_hears"
#: What classes hear: each run of each file asks.
_KNOWN: dict[type, tuple[tuple[type, str], ...]] = {}


def on(signal: type[S]) -> Callable[[Callable[[A, S], V]], Callable[[A, S], V]]:
    """Let a method of an analysis hear a type of signals.

    Of a signal with a `value`, a listener may return another one in its place; None leaves it.
    """

    def marked(method: Callable[[A, S], V]) -> Callable[[A, S], V]:
        setattr(method, _HEARS, signal)
        return method

    return marked


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A problem that an analysis has found for its rule."""

    analysis: type[Analysis[Any]]
    problem: Problem


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """An analysis that raised an exception, and was left out from there on."""

    analysis: type[Analysis[Any]]
    error: Exception


class Analysis(Generic[R]):
    """One question asked of a run of the interpreter.

    It hears what the engine does, keeps its own notes on itself, and may tag values. What it finds
    for one rule it reports to the run as problems; what two or more rules look at it emits as
    events. There is one for each run, and only if a selected rule needs it.
    """

    #: Analyses that this one asks; they hear each signal before it does.
    needs: ClassVar[tuple[type[Analysis[Any]], ...]] = ()

    #: Whether what it reports raises: it says nothing where a test or a handler expects failures.
    is_failure: ClassVar[bool] = False

    def __init__(self, run: R) -> None:
        self.run = run

    def listeners(self) -> Iterator[tuple[type, Callable[[Any], Any]]]:
        """The methods that hear, with the types of the signals, in the order of their text."""
        for signal, name in _hearing(type(self)):
            yield signal, getattr(self, name)


def _hearing(kind: type) -> tuple[tuple[type, str], ...]:
    """The types of signals that a class hears, with the names of the methods that do."""
    if kind not in _KNOWN:
        _KNOWN[kind] = tuple(
            (getattr(method, _HEARS), name)
            for each in reversed(kind.__mro__)
            for name, method in vars(each).items()
            if hasattr(method, _HEARS)
        )
    return _KNOWN[kind]


@cache
def in_order(analyses: tuple[type[Analysis[Any]], ...]) -> tuple[type[Analysis[Any]], ...]:
    """The analyses and all that they need, each once and after those that it needs."""
    found: dict[type[Analysis[Any]], None] = {}
    for each in analyses:
        found |= dict.fromkeys((*in_order(each.needs), each))
    return tuple(found)
