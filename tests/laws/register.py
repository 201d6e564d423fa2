"""The cases that are known to break a law, and those that did once: `failing.toml`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(__file__).parent / "failing.toml"


class Entry(NamedTuple):
    """A case of a law; why it breaks it, or did."""

    law: str
    case: str
    reason: str


class Register:
    """`failing` break a law today, `mended` did once."""

    def __init__(self, text: str) -> None:
        table = tomllib.loads(text)
        self.failing = tuple(Entry(**each) for each in table.get("failing", []))
        self.mended = tuple(Entry(**each) for each in table.get("mended", []))

    def reasons(self, law: str) -> dict[str, str]:
        """Why cases break a law today."""
        return {each.case: each.reason for each in self.failing if each.law == law}

    def cases(self, law: str) -> frozenset[str]:
        """Those that break a law or did."""
        every = (*self.failing, *self.mended)
        return frozenset(each.case for each in every if each.law == law)


def register() -> Register:
    return Register(FILE.read_text(encoding="utf-8"))
