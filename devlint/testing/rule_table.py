"""The table of rules, in Markdown.

`python -m devlint.testing.rule_table README.md` brings a document up to date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.rule.registry import AnyRule, every_rule
from devlint.testing.spec import cases
from devlint.testing.table import main, shown, table


def rows(rules: Iterable[AnyRule]) -> Iterator[tuple[str, ...]]:
    for rule in rules:
        is_fixable = any(case.fixed for case in cases(rule.page()))
        yield rule.code, f"`{rule.name}`", rule.severity, "fix" * is_fixable, rule.summary


def updated(document: str) -> str:
    """The document with the table of today's rules."""
    head = "code", "name", "severity", "fix", "summary"
    return shown(document, "rules", table(head, rows(every_rule())))


if __name__ == "__main__":
    main(updated)
