"""What devlint finds in files by default: without rules to opt in to, and low confidence."""

from __future__ import annotations

from collections.abc import Mapping

from devlint.finding import CONFIDENCES, Finding
from devlint.rule.registry import load_rules
from devlint.testing.project_spec import found_in

RULES = [rule() for rule in load_rules() if not rule.is_opt_in]


def told(files: Mapping[str, str]) -> list[Finding]:
    found = found_in(files, RULES)
    return [each for each in found if each.confidence != CONFIDENCES[-1]]
