"""The rule interface: all that a rule pack has to subclass."""

from __future__ import annotations

import sys
from abc import ABC
from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar

from devlint.finding import Severity
from devlint.rule.analysis import Analysis
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
    watches: ClassVar[type | tuple[type, ...]] = ()
    #: The analyses without which those events do not happen, and those that report its problems.
    needs: ClassVar[tuple[type[Analysis[Any]], ...]] = ()
    #: Off unless `--extend-select` or `--select` names it.
    is_opt_in: ClassVar[bool] = False
    #: Whether a run that has the bug may end well all the same: no error tells of it.
    is_silent: ClassVar[bool] = False
    #: Where several rules of a pack see the same fault, only the lowest reports it.
    precedence: ClassVar[int] = 50
    #: Codes of rules in other packs that do not report it either if they have a higher precedence.
    masks: ClassVar[tuple[str, ...]] = ()

    def check(self, event: E) -> Iterator[Problem]:
        """Yield a problem for each bug the event proves; none, where analyses report all."""
        yield from ()

    @classmethod
    def pack(cls) -> str:
        """The package that brings the rule."""
        return cls.__module__.partition(".")[0]

    @classmethod
    def may_mask(cls, other: Rule[Any]) -> bool:
        """Whether another rule that sees the same fault may be silent about it."""
        return cls.pack() == other.pack() or other.code in cls.masks

    @classmethod
    def page(cls) -> str:
        """The rule's page in Markdown."""
        return sys.modules[cls.__module__].__doc__ or ""

    @classmethod
    def witnesses(cls) -> str:
        """Pairs of programs in Markdown, one with the bug and one without; empty without any.

        They are beside the rule's module: in `witness.md` if that is the `rule.py` of a package,
        else in `witnesses/<name>.md`, with `_` for each `-`.
        """
        from importlib.resources import files

        package = cls.__module__.rpartition(".")[0]
        if not package:
            return ""
        is_package = cls.__module__.endswith(".rule")
        name = "witness.md" if is_package else f"witnesses/{cls.name.replace('-', '_')}.md"
        file = files(package) / name
        return file.read_text(encoding="utf-8") if file.is_file() else ""
