"""Bugs of public projects that devlint finds, as `testdata/cases.toml` has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from devlint.settings.file import parsed
from tests.documents import ROOT

CASES = ROOT / "testdata" / "cases.toml"


@dataclass(frozen=True)
class RealCase:
    """A bug as it was at `line` of `path`, before the commit that took it away."""

    code: str
    repository: str
    path: str
    line: int
    commit: str
    bug: str

    @property
    def change(self) -> str:
        return f"https://github.com/{self.repository}/commit/{self.commit}"

    def __str__(self) -> str:
        """As an item of a list, in Markdown."""
        return f"- [{self.repository}]({self.change}), `{self.path}:{self.line}`: {self.bug}"


@cache
def real_cases() -> list[RealCase]:
    told = parsed(CASES.read_text(encoding="utf-8"))["case"]
    return [RealCase(**each) for each in told]
