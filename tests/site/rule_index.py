"""The page that lists the rules, by group."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from devlint.rule.registry import AnyRule, group
from devlint.testing.rule_table import rows
from tests.site.rule_page import RULES

#: What the codes of a group begin with, and what its rules are about.
GROUPS = {
    "DEV1": "Modules that are not where their input is",
    "DEV2": "Tensors that are not where they are needed",
    "DEV3": "Random numbers",
    "DEV4": "Checkpoints and state",
    "DEV5": "Sharing",
    "DEV6": "Processes and streams",
    "DEV7": "Portability",
    "DEV8": "What makes a program slow",
    "DEV9": "What devlint reports of itself and of runs",
}
HEAD = """\
# Rules

*error*: raises on an accelerator. *warning*: breaks when moved, loaded or run elsewhere, or is
silently wrong. *perf*: slow. *note*: worth knowing. The page of a rule is at `rules/CODE/`, and
what `devlint rule CODE` shows. How to [choose](../configuration.md#rules) rules, and how to
[write](../rule-packs.md) one.
"""


def rule_index() -> str:
    parts = [HEAD]
    for code, rules in groupby(RULES, lambda rule: group(rule.code)):
        parts.append(f"({code.lower()})=\n## {code}: {GROUPS[code]}\n\n{listed(rules)}")
    return "\n".join([*parts, contents()])


def listed(rules: Iterable[AnyRule]) -> str:
    return "".join(
        f"- {code} {name}: {summary} ({severity}{', has a fix' if fix else ''})\n"
        for code, name, severity, fix, summary in rows(rules)
    )


def contents() -> str:
    pages = "\n".join(f"{rule.code}/index" for rule in RULES)
    return f"```{{toctree}}\n:hidden:\n\n{pages}\n```\n"
