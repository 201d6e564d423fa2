"""One run over paths: files in; findings, complaints and the exit code out."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from devlint.audit import Audit
from devlint.check import Checked, check
from devlint.discover import discover
from devlint.faults import FAULTS, Fault, InternalError, UnreadableFile
from devlint.finding import Finding, Safety
from devlint.fix import Mended, mended
from devlint.lower.limits import RECURSION_LIMIT
from devlint.notebook import SUFFIX, check_notebook
from devlint.registry import AnyRule

#: Faults after which the run cannot be called complete.
FAILURES = (UnreadableFile.code, InternalError.code)
#: The severity of each complaint, which opens its line on stderr.
COMPLAINTS = {fault.code: fault.severity for fault in FAULTS if fault.is_complaint}


@dataclass(slots=True)
class Outcome:
    findings: list[Finding] = field(default_factory=list)
    #: One line each for what could not be done.
    complaints: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    #: How many files were read, and how far each got.
    files: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    #: Calls that the analysis did not follow because a budget was spent.
    exhausted: int = 0
    is_complete: bool = True
    #: Files as fixes would make them, where they were asked for.
    mended: list[Mended] | None = None

    @property
    def exit_code(self) -> int:
        """2 when anything could not be done, 1 when there are findings, notes aside.

        Where fixes were asked for, what counts is whether there are any.
        """
        if not self.is_complete:
            return 2
        if self.mended is not None:
            return int(bool(self.mended))
        return int(any(finding.severity != "note" for finding in self.findings))

    def add(self, one: Checked, reported: Container[str]) -> None:
        """Take in one file; of the codes that are not `reported` only the complaint stays."""
        self.stages[one.stage] += 1
        self.exhausted += one.exhausted
        self.findings += (each for each in one.findings if each.code in reported)
        faults = [each for each in one.findings if each.code in COMPLAINTS]
        self.complaints += (
            f"{COMPLAINTS[each.code]}: {each.path}: {each.message}" for each in faults
        )
        self.is_complete &= not any(each.code in FAILURES for each in faults)
        if one.traceback:
            self.tracebacks.append(one.traceback)


def run(
    paths: Sequence[str],
    rules: Sequence[AnyRule],
    *,
    exclude: Sequence[str] = (),
    screen: bool = True,
    audit: Audit | None = None,
    fixes: Sequence[Safety] = (),
) -> Outcome:
    """Check `paths` by `rules`; a fault that is not among them is complained of, but no finding.

    With `fixes` of some safety, each file is also mended, though not written.
    """
    discovery = discover(paths, exclude)
    outcome = Outcome(complaints=[f"error: {line}" for line in discovery.complaints])
    outcome.is_complete = not discovery.complaints
    outcome.files = len(discovery.files)
    outcome.mended = [] if fixes else None
    if not discovery.files and not discovery.complaints:
        outcome.complaints.append("warning: no Python files found")
    notebooks = sum(path.endswith(SUFFIX) for path in discovery.files)
    if fixes and notebooks:
        outcome.complaints.append(f"note: notebooks are not mended yet ({notebooks} left out)")
    active = [rule() for rule in rules if not issubclass(rule, Fault)]
    reported = {rule.code for rule in rules}
    # On an 8 MB stack Python 3.11 survives 5,000 frames through C functions such as `sorted`, but
    # not 10,000.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    gc.freeze()  # What lives as long as the run need not be walked by collections.
    for path in discovery.files:
        with no_garbage_collection():
            try:
                content = read(path)
            except OSError as error:
                one = unreadable(path, error)
            else:
                checked = check_notebook if path.endswith(SUFFIX) else check
                one = checked(path, content, active, audit, screen=screen)
                if outcome.mended is not None:
                    file = mended(path, content, one.findings, active, fixes)
                    outcome.mended += [file] if file else []
        outcome.add(one, reported)
    return outcome


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def unreadable(path: str, error: OSError) -> Checked:
    reason = (error.strerror or type(error).__name__).lower()
    return Checked((UnreadableFile.at(path, f"cannot read: {reason}"),))


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Trees die by reference count; a collection amid one walks it for nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
