"""What devlint finds in files by default: without rules to opt in to, and low confidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from devlint.finding import CONFIDENCES, Finding
from devlint.rule.registry import load_rules
from devlint.run.check import check
from devlint.testing.project_spec import found_in

RULES = [rule() for rule in load_rules() if not rule.is_opt_in]


def told(files: Mapping[str, str]) -> list[Finding]:
    """In the files of a project."""
    return shown(found_in(files, RULES))


def told_alone(files: Mapping[str, str]) -> list[Finding]:
    """In each file by itself."""
    checked = (check(path, text.encode(), RULES, None) for path, text in files.items())
    return shown(finding for each in checked for finding in each.findings)


def shown(found: Iterable[Finding]) -> list[Finding]:
    return [each for each in found if each.confidence != CONFIDENCES[-1]]
