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
    """A rewriting after which a rule, by its own page, has nothing to say any more."""

    code: str
    rewriting: str
    reason: str


class Noise(NamedTuple):
    """A finding that a rewriting adds to a silent case today, and why."""

    case: str
    rewriting: str
    code: str
    reason: str


class Exceptions:
    def __init__(self, text: str) -> None:
        table = tomllib.loads(text)
        self.different = tuple(Different(**each) for each in table.get("different", []))
        self.noise = tuple(Noise(**each) for each in table.get("noise", []))

    def make_different(self, code: str, rewriting: str) -> bool:
        return any((code, rewriting) == each[:2] for each in self.different)

    def know(self, case: str, rewriting: str, code: str) -> bool:
        return any((case, rewriting, code) == each[:3] for each in self.noise)


@cache
def exceptions() -> Exceptions:
    return Exceptions(FILE.read_text(encoding="utf-8"))
