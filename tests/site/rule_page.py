"""The page of a rule: what `devlint rule` shows, how safe its fixes are, and real cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from devlint.finding import CONFIDENCES, Patch
from devlint.rule.page import explanation
from devlint.rule.registry import AnyRule, every_rule, group
from devlint.run.plan import Plan
from devlint.testing.spec import Case, cases, loaded
from tests.documents import ROOT
from tests.site.real_cases import real_cases

RULES = every_rule()
#: A code of a rule or a group.
MENTION = re.compile(r"\b(DEV\d(?:\d\d)?)\b")
#: What a page shows and does not say.
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
#: The page on which each of them is explained.
TARGETS = {rule.code: f"rules/{rule.code}/index" for rule in RULES}
TARGETS |= {group(rule.code): "rules/index" for rule in RULES}
SPECS = ROOT / "testdata" / "specs"
LIVE_BUGS = ROOT / "docs" / "live-bugs.md"


def rule_page(rule: AnyRule) -> str:
    parts = [
        f"({rule.code.lower()})=\n# {rule.code} {rule.name}",
        facts(rule),
        explanation(rule),
        fixes(rule),
        seen(rule),
        "## More",
        "\n".join(more(rule)),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def facts(rule: AnyRule) -> str:
    """How severe it is, when it runs, and what proves it."""
    told = [f"*{rule.severity}*"]
    if rule.is_opt_in:
        told.append(f"runs only with `--extend-select {rule.code}`")
    if rule.is_silent:
        told.append("no exception tells of it")
    if rule.witnesses():
        told.append("[`devlint confirm`](../../confirm.md) proves it")
    return " · ".join(told)


def fixes(rule: AnyRule) -> str:
    """The kinds of fixes that there are on its page and in its spec, with an example of each."""
    lines = [f"- *{label}*: {message}" for label, message in kinds_of_fixes(rule).items()]
    if not lines:
        return ""
    head = "A [safe fix](../../usage.md#fixes) changes nothing of what a program does on the CPU."
    return "\n".join(["## Its fixes", "", head, "", *lines])


def kinds_of_fixes(rule: AnyRule) -> dict[str, str]:
    """An example by how safe a fix is, the safe ones first."""
    spec = SPECS / f"{rule.name.replace('-', '_')}.md"
    texts = [rule.page(), *([spec.read_text(encoding="utf-8")] if spec.exists() else [])]
    found: dict[str, str] = {}
    for patch in (patch for text in texts for case in cases(text) for patch in patches(rule, case)):
        found.setdefault(patch.label, patch.message)
    return dict(sorted(found.items()))


def patches(rule: AnyRule, case: Case) -> Iterator[Patch]:
    """The fixes of the rule in a case that shows what it becomes."""
    if case.fixed is None:
        return
    codes = tuple(each.code for each in loaded())
    settings = replace(case.settings, extend_select=codes, confidence=CONFIDENCES[-1])
    checked = Plan.of(settings, loaded()).check("spec.py", case.code.encode(), screen=False)
    for finding in checked.findings:
        if finding.code == rule.code and finding.fix is not None:
            yield finding.fix


def seen(rule: AnyRule) -> str:
    """Bugs of the kind in public projects, and the changes that took them away."""
    lines = [str(case) for case in real_cases() if case.code == rule.code]
    if not lines:
        return ""
    head = "Bugs that projects have had, each with the change that took it away:"
    return "\n".join(["## Real cases", "", head, "", *lines])


def more(rule: AnyRule) -> Iterator[str]:
    if f" {rule.code} " in LIVE_BUGS.read_text(encoding="utf-8"):
        yield "- Found in [releases](../../live-bugs.md)."
    others = sorted(mentioning()[rule.code] - {rule.code})
    if others:
        yield f"- {', '.join(others)} {'speaks' if len(others) == 1 else 'speak'} of it, too."
    yield f"- `devlint rule {rule.code}` shows this page in a terminal."
    yield "- How to [silence](../../usage.md#silence) a finding."
    yield "- How [often](../../accuracy.md) findings are right."
    yield f"- Back to [all rules](../index.md), or to its group, {group(rule.code)}."


@cache
def mentioning() -> dict[str, set[str]]:
    """For each rule those whose pages name it."""
    prose = {rule.code: CODE.sub("", rule.page()) for rule in RULES}
    named = {code: set(MENTION.findall(text)) for code, text in prose.items()}
    return {code: {other for other in named if code in named[other]} for code in named}
