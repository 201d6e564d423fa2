"""What some settings ask for: the rules to run, and which of their findings and fixes count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from devlint.finding import CONFIDENCES, Finding, Patch, Safety, Severity
from devlint.findings.suppressions import Suppressions
from devlint.findings.unused_suppressions import Audit
from devlint.project.project import Project
from devlint.rule.registry import AnyRule, chosen, is_selected, matching
from devlint.rule.rule import Rule
from devlint.rule.self_reports import FAULTS, Fault
from devlint.run.check import Checked, check
from devlint.run.elsewhere import NOTHING, Shown, merged
from devlint.settings import Settings
from devlint.settings.project_names import PLAIN, Vocabulary
from devlint.text.source_text import decode


@dataclass(frozen=True, slots=True)
class Plan:
    """`active` are the rules to run, `reported` the codes whose findings are shown, `fixable` those
    whose fixes may be applied, `severities` those that the settings give to codes."""

    settings: Settings
    active: tuple[Rule[Any], ...]
    reported: frozenset[str]
    audit: Audit | None
    safeties: frozenset[Safety]
    fixable: frozenset[str]
    severities: Mapping[str, Severity] = field(default_factory=dict)
    vocabulary: Vocabulary = PLAIN
    #: Whose imports are followed.
    project: Project | None = None

    @classmethod
    def of(cls, settings: Settings, known: Sequence[AnyRule]) -> Plan:
        rules = chosen(
            known,
            select=settings.select,
            extend_select=settings.extend_select,
            ignore=settings.ignore,
        )
        return cls(
            settings,
            tuple(rule() for rule in rules if not issubclass(rule, Fault)),
            frozenset(rule.code for rule in rules),
            Audit.of(rules, known),
            frozenset(("safe", "unsafe") if settings.unsafe_fixes else ("safe",)),
            fixable(settings, rules, known),
            severities(settings, [*known, *FAULTS]),
            Vocabulary.of(settings),
        )

    @classmethod
    def of_rules(cls, rules: Sequence[Rule[Any]], safeties: Iterable[Safety] = ("safe",)) -> Plan:
        """A plan of these rules alone."""
        codes = frozenset(rule.code for rule in rules)
        return cls(Settings(), tuple(rules), codes, None, frozenset(safeties), codes)

    @property
    def with_safe_fixes(self) -> Plan:
        """The same, where no unsafe fix may be applied."""
        return replace(self, safeties=frozenset[Safety](("safe",)))

    def check(
        self,
        path: str,
        data: bytes,
        *,
        screen: bool | None = None,
        known: Shown = NOTHING,
    ) -> Checked:
        """The findings of one file; see `check`."""
        settings = self.settings
        return check(
            path,
            data,
            self.active,
            None if settings.ignore_noqa else self.audit,
            screen=settings.screen if screen is None else screen,
            heed=not settings.ignore_noqa,
            vocabulary=self.vocabulary,
            project=self.project,
            known=known,
        )

    @property
    def purpose(self) -> tuple[object, ...]:
        """All that decides what is found, apart from the file."""
        return (
            [rule.code for rule in self.active],
            sorted(self.reported),
            self.vocabulary,
            self.settings.ignore_noqa,
            self.settings.screen,
            self.project is not None and self.project.modules.installed,
        )

    def joined(self, one: Checked, data: bytes, late: Sequence[Finding]) -> Checked:
        """What is found in a file, of these bytes, with what other files have shown of it since."""
        heed = not self.settings.ignore_noqa
        suppressions = Suppressions(decode(data) if heed else "")
        loud = tuple(each for each in late if not suppressions.cover(each))
        return replace(one, findings=merged(one.findings, loud))

    def findings(self, found: Iterable[Finding]) -> list[Finding]:
        """What is reported of what was found, as severe as the settings have it."""
        reported = (each for each in found if each.code in self.reported)
        return [self.weighed(each) for each in reported if self.believes(each)]

    def believes(self, finding: Finding) -> bool:
        """Whether a finding is sure enough to be reported."""
        return CONFIDENCES.index(finding.confidence) <= CONFIDENCES.index(self.settings.confidence)

    def weighed(self, finding: Finding) -> Finding:
        severity = self.severities.get(finding.code, finding.severity)
        return finding if severity == finding.severity else replace(finding, severity=severity)

    def fix(self, finding: Finding) -> Patch | None:
        """The fix of a finding, if it may be applied."""
        return finding.fix if self.has_fix(finding) and self.is_safe(finding) else None

    def has_fix(self, finding: Finding) -> bool:
        """Whether a finding that is reported has a fix that is not left out by a setting."""
        is_fixable = finding.fix is not None and finding.code in self.fixable
        return is_fixable and self.believes(finding)

    def is_safe(self, finding: Finding) -> bool:
        """Whether its fix may be applied unasked."""
        return finding.fix is not None and finding.fix.safety in self.safeties

    def holds_back(self, finding: Finding) -> bool:
        """Whether the fix of a finding is left out only because it is unsafe."""
        return self.has_fix(finding) and not self.is_safe(finding)


def fixable(
    settings: Settings, rules: Iterable[AnyRule], known: Sequence[AnyRule]
) -> frozenset[str]:
    """The codes of the rules whose fixes may be applied."""
    every = [*known, *FAULTS]
    wanted = matching(every, settings.fixable) - matching(every, settings.unfixable)
    return frozenset(rule.code for rule in rules if rule in wanted)


def severities(settings: Settings, known: Sequence[AnyRule]) -> dict[str, Severity]:
    """The severity of each code that the settings give one; what names it best decides."""
    found: dict[str, Severity] = {}
    for selector, severity in sorted(settings.severity, key=lambda each: precision(each[0], known)):
        found |= {rule.code: severity for rule in matching(known, [selector])}
    return found


def precision(selector: str, known: Sequence[AnyRule]) -> int:
    """The fewer rules a selector fits, the more it says of each."""
    return -sum(is_selected(rule, selector) for rule in known)
