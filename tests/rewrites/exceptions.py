"""Where a rewriting may change a finding, and the noise that is known: `exceptions.toml`."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(__file__).parent / "exceptions.toml"
#: How many rewritings the page of a rule may make different.
MOST = 3


class Different(NamedTuple):
    """Rewritings after which a rule, by its own page, has nothing to say any more."""

    code: str
    rewritings: tuple[str, ...]
    reason: str


class Noise(NamedTuple):
    """Silent cases in which rewritings lead to findings today, for one reason."""

    rewritings: tuple[str, ...]
    cases: tuple[str, ...]
    reason: str


class Exceptions:
    def __init__(self, text: str) -> None:
        table = tomllib.loads(text)
        self.different = [Different(**each) for each in table.get("different", [])]
        self.noise = [Noise(**each) for each in table.get("noise", [])]

    def make_different(self, code: str, rewriting: str) -> bool:
        return any(code == each.code and rewriting in each.rewritings for each in self.different)

    def know(self, case: str, rewriting: str) -> bool:
        return any(case in each.cases and rewriting in each.rewritings for each in self.noise)


@cache
def exceptions() -> Exceptions:
    return Exceptions(FILE.read_text(encoding="utf-8"))
