"""Rules, found through the entry-point group `devlint.rules`, and the choice among them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from string import ascii_letters
from types import GenericAlias, ModuleType
from typing import Any, TypeAlias

from devlint.rule.rule import Rule
from devlint.rule.self_reports import FAULTS, OWN_CODES
from devlint.text.suggestion import suggestion

AnyRule: TypeAlias = type[Rule[Any]]


class RulePackError(Exception):
    """The installed rule packs cannot be used."""


class NoRulesError(RulePackError):
    """No rule pack is installed, which must never look like "no findings"."""


class UnknownRuleError(LookupError):
    """A selector that fits no rule."""

    def __init__(self, selector: str, rules: Iterable[AnyRule]) -> None:
        known = [word for rule in rules for word in (group(rule.code), rule.code, rule.name)]
        super().__init__(f"unknown rule '{selector}'{suggestion(selector, known)}")
        self.selector = selector


def group(code: str) -> str:
    """What the codes begin with that have to do with one another: DEV2."""
    return code.rstrip("0123456789") + code.lstrip(ascii_letters)[:1]


def load_rules() -> list[AnyRule]:
    """The rules of all installed packs, by code."""
    rules: dict[str, AnyRule] = {}
    for point in entry_points(group="devlint.rules"):
        for rule in rules_of(point):
            if rules.setdefault(rule.code, rule) is not rule:
                raise RulePackError(f"rule pack '{point.name}' brings a second {rule.code}")
    if not rules:
        raise NoRulesError("no rule pack is installed; run `pip install --force-reinstall devlint`")
    return [rules[code] for code in sorted(rules)]


def every_rule() -> list[AnyRule]:
    """The rules of all installed packs, and what devlint reports of itself."""
    return [*load_rules(), *OWN_CODES]


def rules_of(point: EntryPoint) -> list[AnyRule]:
    try:
        return [rule for module in modules_of(point.load()) for rule in rules_in(module)]
    # A pack is foreign code: whatever its import raises is the pack's fault, and said so.
    except Exception as error:
        raise RulePackError(f"rule pack '{point.name}' cannot be loaded: {error!r}") from error


def modules_of(pack: ModuleType) -> Iterator[ModuleType]:
    """Those that may have rules: the modules of a pack, and `rule` in each of its packages."""
    for found in pkgutil.iter_modules(pack.__path__, f"{pack.__name__}."):
        name = f"{found.name}.rule" if found.ispkg else found.name
        yield importlib.import_module(name)


def rules_in(module: ModuleType) -> Iterator[AnyRule]:
    for rule in vars(module).values():
        # Python 3.10 has an alias such as `tuple[int, ...]` for an instance of `type`.
        is_class = isinstance(rule, type) and not isinstance(rule, GenericAlias)
        is_rule = is_class and issubclass(rule, Rule) and not isabstract(rule)
        if is_rule and rule.__module__ == module.__name__ and hasattr(rule, "code"):
            yield rule


def chosen(
    rules: Sequence[AnyRule],
    *,
    select: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> list[AnyRule]:
    """The rules to run, and the faults to report: `select` replaces the defaults,
    `extend_select` adds, and `ignore` has the last word."""
    known = [*rules, *FAULTS]
    wanted = matching(known, select) if select else {r for r in known if not r.is_opt_in}
    wanted |= matching(known, extend_select) | {f for f in FAULTS if f.is_complaint}
    wanted -= matching(known, ignore)
    return [rule for rule in known if rule in wanted]


def matching(rules: Sequence[AnyRule], selectors: Sequence[str]) -> set[AnyRule]:
    found: set[AnyRule] = set()
    for selector in selectors:
        fits = {rule for rule in rules if is_selected(rule, selector)}
        if not fits:
            raise UnknownRuleError(selector, rules)
        found |= fits
    return found


def is_selected(rule: AnyRule, selector: str) -> bool:
    """Whether `selector` is the rule's code, the start of it, its name, or `ALL`."""
    word = selector.upper()
    return rule.code.startswith(word) or rule.name == selector.lower() or word == "ALL"


def rule_named(word: str, rules: Sequence[AnyRule]) -> AnyRule:
    for rule in rules:
        if word.upper() == rule.code or word.lower() == rule.name:
            return rule
    raise UnknownRuleError(word, rules)
