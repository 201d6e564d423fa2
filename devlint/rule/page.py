"""What a rule says of itself, as people read it."""

from __future__ import annotations

import re

from devlint.rule.registry import AnyRule

#: Marks for tests: where a finding is expected is of interest, the others are not.
EXPECTED = re.compile(r"# expect: (?=[A-Z])")
OTHERS = re.compile(r"[ \t]*# (?:related|ok): [A-Z]+\d+(?:, [A-Z]+\d+)*")


def explanation(rule: AnyRule) -> str:
    """Its page in Markdown, without title."""
    return EXPECTED.sub("# ", OTHERS.sub("", rule.page().strip()))
