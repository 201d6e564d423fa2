"""The programs that are rewritten: cases of specs and rule pages, as `ast.unparse` writes them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from devlint.finding import Finding
from tests.laws.examples import Example
from tests.laws.renaming import free_numbers

#: Comments that mean something: the text that is written anew has none.
TELLING_COMMENT = re.compile(r"#\s*(devlint|noqa|type)\b")


@dataclass(frozen=True)
class Program:
    """A case, with what is found in it; `telling` are the lines that rewritings look at."""

    example: Example
    places: Counter[tuple[int, str]]
    telling: frozenset[int]

    @property
    def name(self) -> str:
        return self.example.name

    @property
    def code(self) -> str:
        return self.example.code

    @property
    def is_silent(self) -> bool:
        return not self.places

    @cached_property
    def everywhere(self) -> Program:
        """The same program, of which every line is looked at."""
        return replace(self, telling=frozenset(range(self.code.count("\n") + 2)))

    def tree(self) -> ast.Module:
        """A new one each time: rewritings change it. The nodes keep the lines they have here."""
        return ast.parse(self.code)

    def is_telling(self, node: ast.AST) -> bool:
        return getattr(node, "lineno", None) in self.telling

    def words(self) -> Iterator[str]:
        """Neutral words that the program does not have."""
        return (f"q{number}" for number in free_numbers(self.code))


def programs(examples: Iterable[Example]) -> Iterator[Program]:
    """Those that devlint looks at and Python takes, and whose comments say nothing."""
    for example in examples:
        is_taken = example.is_analysed and compiles(example.code)
        if is_taken and not TELLING_COMMENT.search(example.code):
            yield program(example)


def compiles(code: str) -> bool:
    """Whether it is a program: what can be parsed may still have `break` in no loop."""
    try:
        compile(code, "case.py", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def program(example: Example) -> Program:
    assert example.tree is not None
    plain = replace(example, case=replace(example.case, code=ast.unparse(example.tree)))
    found = plain.found_in(plain.code)
    places = Counter((each.span.line, each.code) for each in found)
    whole = Program(plain, places, frozenset(lines_of(found)))
    return whole if found else whole.everywhere


def lines_of(found: Iterable[Finding]) -> Iterator[int]:
    """Where findings stand and what they point to."""
    for finding in found:
        yield finding.span.line
        yield from (related.span.line for related in finding.related)
