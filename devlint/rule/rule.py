"""The rule interface: all that a rule pack has to subclass."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Generic, TypeVar

from devlint.finding import Severity
from devlint.rule.problem import Problem

E = TypeVar("E", contravariant=True)


class Rule(ABC, Generic[E]):
    """One kind of device bug.

    The docstring of the rule's module is its page: the examples run as tests.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    severity: ClassVar[Severity]
    #: The event types that `check` is called with.
    watches: ClassVar[type | tuple[type, ...]]
    #: Off unless `--extend-select` or `--select` names it.
    is_opt_in: ClassVar[bool] = False
    #: Whether a run that has the bug may end well all the same: no error tells of it.
    is_silent: ClassVar[bool] = False
    #: Where several rules see the same fault, the lowest speaks.
    precedence: ClassVar[int] = 50

    @abstractmethod
    def check(self, event: E) -> Iterator[Problem]:
        """Yield a problem for each bug the event proves."""

    @classmethod
    def page(cls) -> str:
        """The rule's page in Markdown."""
        return sys.modules[cls.__module__].__doc__ or ""

    @classmethod
    def witnesses(cls) -> str:
        """Pairs of programs in Markdown, one with the bug and one without; empty without any.

        They are beside the rule's module, in `witnesses/<name>.md`, with `_` for each `-`.
        """
        from importlib.resources import files

        package = cls.__module__.rpartition(".")[0]
        if not package:
            return ""
        file = files(package) / "witnesses" / f"{cls.name.replace('-', '_')}.md"
        return file.read_text(encoding="utf-8") if file.is_file() else ""
