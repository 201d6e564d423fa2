"""What a run leads to: findings, complaints and the exit code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from devlint.finding import SEVERITIES, Finding, Severity
from devlint.report.colour import place

if TYPE_CHECKING:
    from devlint.run.check import Checked
    from devlint.run.fix import Mended, Refused
    from devlint.run.plan import Plan

#: What becomes of fixes: shown as a difference, or applied, the latter also without a report.
Fixing: TypeAlias = Literal["diff", "fix", "fix-only"]


@dataclass(slots=True)
class Outcome:
    findings: list[Finding] = field(default_factory=list)
    #: One line each for what could not be done.
    complaints: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    #: The files that were looked at.
    paths: list[str] = field(default_factory=list)
    #: The codes that are reported in some of them.
    codes: set[str] = field(default_factory=set)
    #: How many of them got how far.
    stages: Counter[str] = field(default_factory=Counter)
    #: How many of them were not looked at again, for nothing has changed.
    reused: int = 0
    #: Calls that the analysis did not follow because a budget was spent.
    exhausted: int = 0
    is_complete: bool = True
    #: Whether a program ran, of which not all was seen.
    is_partial: bool = False
    #: Findings with a fix that may be applied, and with one that is unsafe and may not; where
    #: nothing is fixed, of what `--fix` alone would do.
    fixable: int = 0
    held_back: int = 0
    #: How many findings the sieve left out.
    spared: int = 0
    #: How many files it left out, for nothing in them is new.
    unread: int = 0
    #: How many findings are not sure enough to be reported.
    doubtful: int = 0
    fixing: Fixing | None = None
    #: Whether comments are written in place of fixes.
    is_silencing: bool = False
    #: Files that fixes change, where they were asked for.
    mended: list[Mended] = field(default_factory=list)
    #: The least severity of a finding that counts for the exit code.
    fail_level: Severity = "perf"

    @property
    def files(self) -> int:
        """How many files were looked at."""
        return len(self.paths)

    @property
    def fixed(self) -> int:
        """How many fixes were applied."""
        return sum(len(file.applied) for file in self.mended)

    @property
    def exit_code(self) -> int:
        """2 when anything could not be done, 1 when there are findings that are severe enough.

        Of a difference it says whether there is one.
        """
        if not self.is_complete:
            return 2
        if self.fixing == "diff":
            return int(bool(self.mended))
        if self.fixing == "fix-only":
            return 0
        failing = SEVERITIES[: SEVERITIES.index(self.fail_level) + 1]
        return int(any(finding.severity in failing for finding in self.findings))

    def add(self, one: Checked, plan: Plan) -> None:
        """Take in one file; of what its plan does not report only the complaint stays."""
        from devlint.rule.self_reports import COMPLAINTS, FAILURES

        self.stages[one.stage] += 1
        self.exhausted += one.exhausted
        self.codes |= plan.reported
        found = plan.findings(one.findings)
        self.doubtful += sum(each.code in plan.reported for each in one.findings) - len(found)
        self.findings += found
        # Where nothing is fixed, it is told what `--fix` alone would do.
        asked = plan if self.fixing else plan.with_safe_fixes
        self.fixable += sum(asked.fix(each) is not None for each in found)
        self.held_back += sum(map(asked.holds_back, found))
        faults = [each for each in one.findings if each.code in COMPLAINTS]
        self.complaints += (
            f"{COMPLAINTS[each.code]}: {each.path}: {each.message}" for each in faults
        )
        self.is_complete &= not any(each.code in FAILURES for each in faults)
        if one.traceback:
            self.tracebacks.append(one.traceback)

    def fail(self, complaint: str) -> None:
        """Take in what could not be done."""
        self.complaints.append(f"error: {complaint}")
        self.is_complete = False

    def refuse(self, refused: Refused) -> None:
        """Take in a fix that is left out."""
        finding = refused.finding
        complaint = f"{place(finding.path, finding.span)}: {refused.told}"
        if refused.is_fault:
            self.fail(complaint)
        else:
            self.complaints.append(f"warning: {complaint}")
