"""The cases that the laws are tried on, and what devlint finds in a text of theirs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from zlib import crc32

from devlint.finding import Finding
from devlint.lower import from_ast
from devlint.lower.lowered import Lowered
from devlint.rule.rule import Rule
from devlint.run.prefilter import mentions_devices
from devlint.run.problems_to_findings import Crash, Judgement, findings, judge
from devlint.settings.project_names import Vocabulary
from devlint.testing.spec import Case, cases, loaded

ROOT = Path(__file__).parent.parent.parent
PATH = "law.py"


@dataclass(frozen=True)
class Example:
    """A case, named by its page and its title."""

    name: str
    case: Case

    @property
    def code(self) -> str:
        return self.case.code

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary.of(self.case.settings)

    @cached_property
    def tree(self) -> ast.Module | None:
        """None for what this Python cannot parse."""
        try:
            return ast.parse(self.code)
        except SyntaxError:
            return None

    @cached_property
    def lowered(self) -> Lowered:
        return from_ast.lower(self.code)

    @property
    def is_analysed(self) -> bool:
        """Whether devlint looks at it at all."""
        return self.tree is not None and mentions_devices(self.code, self.vocabulary)

    @cached_property
    def places(self) -> Counter[tuple[int, str]]:
        return self.places_in(self.code)

    def places_in(self, code: str) -> Counter[tuple[int, str]]:
        """The line and the code of each finding in another version of the text."""
        return Counter((each.span.line, each.code) for each in self.found_in(code))

    def found_in(self, code: str) -> list[Finding]:
        if not mentions_devices(code, self.vocabulary):
            return []
        lowered = from_ast.lower(code)
        return said(lowered, self.judgement(rules(), lowered))

    def judgement(self, chosen: Sequence[Rule[Any]], lowered: Lowered | None = None) -> Judgement:
        return judge((lowered or self.lowered).module, chosen, self.vocabulary)


def said(lowered: Lowered, judgement: Judgement) -> list[Finding]:
    """The findings of a judgement. Raise what the analysis or a rule raised."""
    crashes: list[Crash] = [*judgement.crashes]
    found = list(findings(PATH, lowered, judgement, crashes))
    if crashes:
        raise crashes[0].error
    return found


@cache
def rules() -> tuple[Rule[Any], ...]:
    """One of each rule, those that are off by default included."""
    return tuple(rule() for rule in loaded())


def examples() -> Iterator[Example]:
    specs = ROOT / "testdata" / "specs"
    pages = {path.stem: path.read_text("utf-8") for path in sorted(specs.rglob("*.md"))}
    pages |= {rule.code: rule.page() for rule in loaded()}
    for page, text in pages.items():
        yield from (Example(f"{page}/{case.title}", case) for case in cases(text))


def drawn(every: Sequence[Example], seed: int, named: frozenset[str]) -> list[Example]:
    """About a tenth of the examples, and those that are named: the same for the same seed, whatever
    other examples there are."""
    return [each for each in every if is_drawn(each.name, seed) or each.name in named]


def is_drawn(name: str, seed: int) -> bool:
    return crc32(f"{seed} {name}".encode()) % 10 == 0
