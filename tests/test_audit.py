"""Suppressions that silence nothing are told, where the run can know it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from devlint.finding import Span
from devlint.findings.unused_suppressions import Audit
from devlint.rule.problem import Problem
from devlint.rule.registry import AnyRule
from devlint.rule.rule import Rule
from devlint.rule.self_reports import UnusedSuppression
from devlint.run.check import check


class Attach(Rule[object]):
    code, name, summary, severity, watches = "DEV101", "late-attach", "", "error", object

    def check(self, event: object) -> Iterator[Problem]:
        yield from ()


class Meet(Attach):
    code, name = "ACME1", "mixed-devices"


class Style(Attach):
    code, name, is_opt_in = "DEV701", "device-style", True


KNOWN: list[AnyRule] = [Attach, Meet, Style]


def unused(text: str, *rules: AnyRule) -> list[tuple[Span, str]]:
    """Where and why, in a run of some rules."""
    audit = Audit.of([*rules, UnusedSuppression], KNOWN)
    found = check("a.py", text.encode(), [rule() for rule in rules], audit).findings
    assert {each.code for each in found} <= {"DEV901", "DEV902"}
    return [(each.span, each.message) for each in found if each.code == "DEV901"]


def test_the_word_is_the_place() -> None:
    [(span, message)] = unused("été = 1  # devlint: ignore[ACME1, dev101]\n", Attach)
    assert span == Span(None, 1, 35, 1, 41)
    assert message == "`dev101` silences nothing here"


def test_a_comment_without_codes_is_a_place() -> None:
    [(span, message)] = unused("x = 1  # devlint: ignore\n", Attach, Meet)
    assert span == Span(None, 1, 8, 1, 25)
    assert message == "this comment silences nothing"


def test_a_mistyped_word_names_what_is_near() -> None:
    [(_, message)] = unused("x = 1  # devlint: ignore[DEV10]\n", Attach)
    assert message.startswith("no rule is called `DEV10`; did you mean DEV101")
    [(_, message)] = unused("x = 1  # devlint: ignore[Mixed-device]\n", Attach)
    assert message == "no rule is called `Mixed-device`; did you mean mixed-devices?"


@pytest.mark.parametrize("word", ["ACME1", "mixed-devices", "DEV701", "device-style"])
def test_a_rule_that_does_not_run_is_not_judged(word: str) -> None:
    assert not unused(f"x = 1  # devlint: ignore[{word}]\n", Attach)
    assert unused(f"x = 1  # devlint: ignore[{word}]\n", *KNOWN)


def test_a_comment_without_codes_is_judged_by_all_default_rules_only() -> None:
    text = "x = 1  # devlint: ignore\n"
    assert not unused(text, Attach)
    assert not unused(text, Attach, Style)
    assert unused(text, Attach, Meet)


@pytest.mark.parametrize(("code", "count"), [("DEV101", 1), ("ACME1", 1), ("ACME2", 1), ("E1", 0)])
def test_of_shared_comments_only_the_codes_of_packs_are_judged(code: str, count: int) -> None:
    assert len(unused(f"x = 1  # noqa: {code}\n", *KNOWN)) == count


@pytest.mark.parametrize("text", ["import torch\ndevice = (\n", "import torch\ndevice = =\n"])
def test_a_file_that_does_not_parse_is_not_judged(text: str) -> None:
    assert not unused(text + "# devlint: ignore[DEV101]\n", *KNOWN)


@pytest.mark.parametrize("text", ["x = 1", "import torch; device = 1", "import torch; x = 1"])
def test_files_that_go_no_further_are_judged(text: str) -> None:
    assert unused(f"{text}  # devlint: ignore[DEV101]\n", *KNOWN)


def test_the_audit_can_be_left_out() -> None:
    assert Audit.of(KNOWN, KNOWN) is None
