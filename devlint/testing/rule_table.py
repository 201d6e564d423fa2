"""The table of rules in Markdown, and the documents that show it between two markers.

`python -m devlint.testing.rule_table README.md` brings a document up to date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from devlint.faults import FAULTS
from devlint.registry import AnyRule, load_rules
from devlint.testing.spec import cases


def rule_table(rules: Iterable[AnyRule]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows(rules))


def rows(rules: Iterable[AnyRule]) -> Iterator[tuple[str, ...]]:
    yield "code", "name", "severity", "fix", "summary"
    yield ("---",) * 5
    for rule in rules:
        is_fixable = any(case.fixed for case in cases(rule.page()))
        yield rule.code, f"`{rule.name}`", rule.severity, "fix" * is_fixable, rule.summary


def updated(document: str) -> str:
    """The document with the table of today's rules; `ValueError` when it has no place for one."""
    return region(document, "rules", rule_table([*load_rules(), *FAULTS]))


def region(document: str, name: str, table: str) -> str:
    """The document with this table between the markers of this name."""
    markers = rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)"
    text, count = re.subn(markers, lambda _: table, document, flags=re.S)
    if count != 1:
        raise ValueError(f"{count} places for the table of {name}, not one")
    return text


def main(paths: Iterable[str]) -> None:
    for path in map(Path, paths):
        path.write_text(updated(path.read_text()))


if __name__ == "__main__":
    main(sys.argv[1:])
