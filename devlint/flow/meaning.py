"""What control flow asks of an interpretation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from devlint.flow.state import Cell, State
from devlint.lower import ir

V = TypeVar("V", bound=Cell)


class Meaning(ABC, Generic[V]):
    """What simple statements, tests and bindings mean."""

    @abstractmethod
    def simple(self, statement: ir.Statement) -> None:
        """A statement that always goes on to the next."""

    @abstractmethod
    def condition(self, test: ir.Expression) -> Hashable | bool | None:
        """Evaluate a test: its truth, or a key under which the same test has the same truth."""

    @abstractmethod
    def matters(self, test: Hashable | None) -> bool:
        """Whether knowing the truth of a test tells anything about values."""

    @abstractmethod
    def renew(self, loop: ir.For | ir.While, changed: set[Hashable], entry: State[V]) -> None:
        """Take back what earlier rounds have changed of what a round has for itself."""

    @abstractmethod
    def begin_loop(self, loop: ir.For) -> None:
        """Evaluate what is iterated over."""

    @abstractmethod
    def next_item(self, loop: ir.For) -> None:
        """Bind the loop's target."""

    @abstractmethod
    def enter(self, block: ir.With) -> Callable[[], None]:
        """Enter the context managers; what is returned leaves them."""

    @abstractmethod
    def protect(self, block: ir.Try) -> Callable[[], None]:
        """Enter a body whose exceptions are handled; what is returned leaves it."""

    def completion(self, block: ir.Try) -> Hashable | None:
        """A key for whether a body came to its end, where each round of a loop may tell."""
        return None

    @abstractmethod
    def catch(self, handler: ir.Handler) -> None:
        """Bind the caught exception."""

    def rounds(self, loop: ir.For) -> Sequence[Callable[[], object]] | None:
        """What each round begins with, of a loop whose rounds are known one by one."""
        return None

    def asks_for_first_round(self, loop: ir.For) -> bool:
        """Whether a test in a loop tells its first round from the others."""
        return False

    @abstractmethod
    def begin_match(self, match: ir.Match) -> None:
        """Evaluate the subject."""

    @abstractmethod
    def capture(self, match: ir.Match, case: ir.Case) -> None:
        """Bind what the case captures."""

    @abstractmethod
    def asked(self, test: ir.Implied) -> Hashable | bool:
        """The truth of what a case asks of the subject, which has been evaluated, or its key."""

    @abstractmethod
    def give_back(self, statement: ir.Return) -> Callable[[], None]:
        """Evaluate what is returned; what this returns records it, once `finally` has run."""

    @abstractmethod
    def widened(self, value: V) -> V:
        """A value that stands for all that a loop may make of this one."""
