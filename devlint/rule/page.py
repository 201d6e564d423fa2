"""What a rule says of itself, as people read it."""

from __future__ import annotations

import re

from devlint.rule.registry import AnyRule

#: Marks for tests: where a finding is expected is of interest, the others are not.
EXPECTED = re.compile(r"# expect: (?=[A-Z])")
OTHERS = re.compile(r"[ \t]*# (?:related|ok): [A-Z]+\d+(?:, [A-Z]+\d+)*")
#: Where the sections of a page begin, and the one that comes first.
SECTION = re.compile(r"^## (.*)\n", re.MULTILINE)
WHY = "Why is this bad?"


def explanation(rule: AnyRule) -> str:
    """Its page in Markdown, without title."""
    return EXPECTED.sub("# ", OTHERS.sub("", rule.page().strip()))


def overview(rule: AnyRule) -> str:
    """What its page begins with: what the rule reports, and why that is bad."""
    told, *sections = SECTION.split(explanation(rule))
    why = sections[1] if sections[:1] == [WHY] else ""
    return f"{told.strip()}\n\n{why.strip()}".strip()
