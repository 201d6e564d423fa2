"""Rules come from packs, and selectors choose among them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from devlint.rule import registry
from devlint.rule.problem import Problem
from devlint.rule.registry import (
    NoRulesError,
    RulePackError,
    UnknownRuleError,
    chosen,
    load_rules,
    rule_named,
)
from devlint.rule.rule import Rule
from devlint.rule.self_reports import FAULTS


class Attach(Rule[object]):
    code, name, summary, severity, watches = "DEV101", "late-attach", "", "error", object

    def check(self, event: object) -> Iterator[Problem]:
        yield from ()


class Meet(Attach):
    code, name = "DEV201", "mixed-devices"


class Style(Attach):
    code, name, is_opt_in = "DEV701", "device-style", True


RULES = [Attach, Meet, Style]
COMPLAINTS = [fault.code for fault in FAULTS if fault.is_complaint]


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ({}, ["DEV101", "DEV201", "DEV901"]),
        ({"select": ["DEV2"]}, ["DEV201"]),
        ({"select": ["dev101", "device-style"]}, ["DEV101", "DEV701"]),
        ({"select": ["DEV"]}, ["DEV101", "DEV201", "DEV701", "DEV901"]),
        ({"extend_select": ["DEV70"]}, ["DEV101", "DEV201", "DEV701", "DEV901"]),
        ({"select": ["DEV2", "DEV901"]}, ["DEV201", "DEV901"]),
        ({"ignore": ["mixed-devices"]}, ["DEV101", "DEV901"]),
        ({"ignore": ["unused-suppression"]}, ["DEV101", "DEV201"]),
        ({"select": ["DEV1"], "ignore": ["DEV101"], "extend_select": ["DEV2"]}, ["DEV201"]),
    ],
)
def test_selectors_choose_rules_and_faults_stay(
    arguments: dict[str, list[str]], codes: list[str]
) -> None:
    assert [rule.code for rule in chosen(RULES, **arguments)] == codes + COMPLAINTS


def test_fault_can_be_ignored() -> None:
    codes = [rule.code for rule in chosen(RULES, ignore=["DEV903", "internal-error"])]
    assert codes == ["DEV101", "DEV201", "DEV901", "DEV902"]


def test_unknown_selector_names_the_nearest() -> None:
    with pytest.raises(UnknownRuleError, match=r"unknown rule 'mixed-device'.*mixed-devices"):
        chosen(RULES, ignore=["mixed-device"])


def test_rule_is_found_by_code_and_name_but_not_by_prefix() -> None:
    assert rule_named("dev201", RULES) is Meet
    assert rule_named("Late-Attach", RULES) is Attach
    with pytest.raises(UnknownRuleError, match="DEV101"):
        rule_named("DEV10", RULES)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[type[Packs]]:
    monkeypatch.syspath_prepend(str(tmp_path))
    Packs.folder = tmp_path
    Packs.points = []
    monkeypatch.setattr(registry, "entry_points", lambda group: Packs.points)
    yield Packs
    for name in [name for name in sys.modules if name.startswith("pack_")]:
        del sys.modules[name]


class Packs:
    """Rule packs of one module each, written to a folder that is importable."""

    folder: Path
    points: list[EntryPoint]

    @classmethod
    def add(cls, name: str, text: str) -> None:
        package = cls.folder / name
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "rules.py").write_text(text)
        cls.points.append(EntryPoint(name, name, "devlint.rules"))


PACK = """
from devlint.rule.registry import RulePackError
from devlint.rule.rule import Rule

class Base(Rule[object]):
    watches = object

class {name}(Base):
    code, name, summary, severity = "{code}", "x", "", "error"

    def check(self, event):
        yield from ()
"""


def test_packs_give_their_rules_by_code(install: type[Packs]) -> None:
    install.add("pack_b", PACK.format(name="Late", code="ACME2"))
    install.add("pack_a", PACK.format(name="Early", code="ACME1"))
    assert [rule.code for rule in load_rules()] == ["ACME1", "ACME2"]


def test_no_pack_is_an_error(install: type[Packs]) -> None:
    with pytest.raises(NoRulesError, match="pip install"):
        load_rules()


def test_pack_without_rules_is_an_error(install: type[Packs]) -> None:
    install.add("pack_a", "")
    with pytest.raises(NoRulesError):
        load_rules()


def test_pack_that_cannot_be_imported_is_named(install: type[Packs]) -> None:
    install.add("pack_a", "1 / 0\n")
    with pytest.raises(RulePackError, match="'pack_a' cannot be loaded: ZeroDivisionError"):
        load_rules()


def test_second_rule_of_a_code_is_an_error(install: type[Packs]) -> None:
    install.add("pack_a", PACK.format(name="One", code="ACME1"))
    install.add("pack_b", PACK.format(name="Two", code="ACME1"))
    with pytest.raises(RulePackError, match="'pack_b' brings a second ACME1"):
        load_rules()


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_has_a_page(fault: type[Rule[object]]) -> None:
    assert "## Why is this bad?" in fault.page()
    assert "## What to do" in fault.page()
