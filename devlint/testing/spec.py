"""Markdown specs: prose for people, annotated code that every rule and both front ends answer to.

A `python` block is one file, named by the heading above it. Marks are trailing comments:

    model.fc = nn.Linear(4, 2)  # expect: DEV101   findings that start on this line, one per code
    y.numpy()  # expect: DEV205 (medium)           one of that confidence
    model.to(device)  # related: DEV101            a related place of a finding of that code
    x = x.cpu()  # ok: DEV101                      silence that matters
    reveal_device(x)  # reveal: cpu | cuda         where the analysis puts a value

Lines without a mark have to be silent. A block under a heading `Fixed` is what the block before it
becomes by all fixes, safe and unsafe, marks aside; it has to be silent too. A `toml` block under
the heading says what a configuration file would say for the case.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from typing import Any

from devlint.event import Reveal
from devlint.finding import CONFIDENCES, Finding
from devlint.findings.suppressions import Suppressions
from devlint.findings.unused_suppressions import Audit
from devlint.interpret.language.program import events
from devlint.lower import from_ast, from_cst
from devlint.lower.lowered import Lowered
from devlint.lower.walk import walk
from devlint.models.libraries import libraries
from devlint.rule.registry import AnyRule, load_rules
from devlint.rule.rule import Rule
from devlint.rule.self_reports import UnusedSuppression
from devlint.run.check import check, left
from devlint.run.fix import mended
from devlint.run.plan import Plan
from devlint.run.problems_to_findings import findings, judge, needed_by
from devlint.settings import Settings
from devlint.settings.file import parsed
from devlint.settings.layer import Layer, merged
from devlint.settings.project_names import Vocabulary

PART = re.compile(
    r"^#+ (?P<heading>[^\n]+)$|^```python\n(?P<code>.*?)^```$|^```toml\n(?P<toml>.*?)^```$"
    r"|^```[^\n]*\n.*?^```$",
    re.M | re.S,
)
CODE = r"[A-Z]+\d+(?:\s*\((?:low|medium|high)\))?"
CODES = re.compile(rf"#\s*(?P<kind>expect|related|ok):\s*(?P<codes>{CODE}(?:\s*,\s*{CODE})*)")
MARKS = re.compile(r"[ \t]*#\s*(?:expect|related|ok|reveal):[^\n]*")
REVEAL = re.compile(r"#\s*reveal:\s*(?P<device>[^#]+?)\s*(?=#|$)")


@dataclass(frozen=True, slots=True)
class Case:
    """`fixed` is the code that follows under `Fixed`, which is also a case of its own."""

    title: str
    code: str
    fixed: str | None = None
    toml: str = ""

    @property
    def settings(self) -> Settings:
        return merged([Layer.of(self.title, parsed(self.toml), "")]) if self.toml else Settings()


@dataclass(frozen=True, slots=True)
class Seen:
    """What one front end leads to, by line."""

    codes: Counter[tuple[int, str]]
    related: frozenset[tuple[int, str]]
    confidences: frozenset[tuple[int, str, str]]


def cases(markdown: str) -> Iterator[Case]:
    """The cases of a page, in order."""
    title, toml, last = "", "", None
    for part in PART.finditer(markdown):
        if part["heading"]:
            title = part["heading"]
            toml = toml if title == "Fixed" else ""
        elif part["toml"]:
            toml = part["toml"]
        elif part["code"] and title == "Fixed" and last:
            yield replace(last, fixed=part["code"])
            last = Case(f"{last.title}, fixed", part["code"], toml=toml)
        elif part["code"]:
            if last:
                yield last
            last = Case(title, part["code"], toml=toml)
    if last:
        yield last


def mismatches(case: Case) -> list[str]:
    """Every way in which what is seen differs from what the marks say; one line each."""
    chosen = [rule for rule in loaded() if not rule.is_opt_in or rule.code in case.code]
    audit = Audit.of([*chosen, UnusedSuppression], loaded())
    rules = [rule() for rule in chosen]
    wanted = Counter(marks(case.code, "expect")) + Counter(reveals(case.code))
    related, told = set(marks(case.code, "related")), set(confidences(case.code))
    found: list[str] = []
    vocabulary = Vocabulary.of(case.settings)
    fronts = {
        "ast": by_ast(case.code, rules, audit, vocabulary),
        "libcst": by_cst(case.code, rules, audit, vocabulary),
    }
    for front, got in fronts.items():
        found += (f"{front}: line {line}: no {what}" for line, what in sorted(wanted - got.codes))
        found += (
            f"{front}: line {line}: unexpected {what}" for line, what in sorted(got.codes - wanted)
        )
        found += (
            f"{front}: line {line}: no related place of {code}"
            for line, code in sorted(related - got.related)
        )
        found += (
            f"{front}: line {line}: {code} is not of {confidence} confidence"
            for line, code, confidence in sorted(told - got.confidences)
        )
    if case.fixed is not None:
        found += differences(unmarked(case.fixed), unmarked(fixed(case, chosen)))
    return found


def fixed(case: Case, rules: Sequence[AnyRule]) -> str:
    """What all fixes make of the code."""
    codes = tuple(rule.code for rule in rules)
    settings = replace(
        case.settings, extend_select=codes, unsafe_fixes=True, confidence=CONFIDENCES[-1]
    )
    plan, data = Plan.of(settings, loaded()), case.code.encode()
    findings = plan.check("spec.py", data, screen=False).findings
    return mended("spec.py", data, findings, plan).after.decode()


def unmarked(code: str) -> str:
    return MARKS.sub("", code)


def differences(wanted: str, got: str) -> Iterator[str]:
    """The first line in which what fixes make is not what the page says."""
    lines = zip_longest(wanted.split("\n"), got.split("\n"))
    for number, (one, other) in enumerate(lines, start=1):
        if one != other:
            yield f"fixed: line {number}: {other!r} is not {one!r}"
            return


def marks(code: str, kind: str) -> Iterator[tuple[int, str]]:
    """The line and the code of each mark of one kind."""
    return ((line, name) for line, name, _ in told_marks(code, kind))


def confidences(code: str) -> Iterator[tuple[int, str, str]]:
    """The line, the code and the confidence where an expectation has one."""
    return (each for each in told_marks(code, "expect") if each[2])


def told_marks(code: str, kind: str) -> Iterator[tuple[int, str, str]]:
    """The line, the code and, if it is told, the confidence of each mark of one kind."""
    for number, line in enumerate(code.split("\n"), start=1):
        for mark in CODES.finditer(line):
            if mark["kind"] == kind:
                for each in mark["codes"].split(","):
                    name, _, confidence = each.strip(" )").partition("(")
                    yield number, name.strip(), confidence


def reveals(code: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(code.split("\n"), start=1):
        if mark := REVEAL.search(line):
            yield number, mark["device"]


def by_ast(
    code: str, rules: Sequence[Rule[Any]], audit: Audit | None, vocabulary: Vocabulary
) -> Seen:
    lowered = from_ast.lower(code)
    judgement = judge(lowered.module, rules, vocabulary)
    if judgement.crashes:
        raise judgement.crashes[0].error
    every = list(findings("spec.py", lowered, judgement, []))
    found = left("spec.py", Suppressions(code), audit, every)
    return seen(believed(found, code), lowered, rules, vocabulary)


def by_cst(
    code: str, rules: Sequence[Rule[Any]], audit: Audit | None, vocabulary: Vocabulary
) -> Seen:
    """As a user's file goes, prefilter included."""
    data = code.encode()
    checked = check("spec.py", data, rules, audit, screen=False, vocabulary=vocabulary)
    found = believed(checked.findings, code)
    return seen(found, from_cst.lower(code), rules, vocabulary)


def believed(found: Iterable[Finding], code: str) -> Iterator[Finding]:
    """The findings that are reported by default, and those of the rules that a case names."""
    return (each for each in found if each.confidence != CONFIDENCES[-1] or each.code in code)


def seen(
    found: Iterable[Finding],
    lowered: Lowered,
    rules: Sequence[Rule[Any]],
    vocabulary: Vocabulary,
) -> Seen:
    codes: Counter[tuple[int, str]] = Counter(revealed(lowered, rules, vocabulary))
    related: set[tuple[int, str]] = set()
    told: set[tuple[int, str, str]] = set()
    for finding in found:
        told.add((finding.span.line, finding.code, finding.confidence))
        codes[finding.span.line, finding.code] += 1
        related.update((place.span.line, finding.code) for place in finding.related)
    return Seen(codes, frozenset(related), frozenset(told))


def revealed(
    lowered: Lowered, rules: Sequence[Rule[Any]], vocabulary: Vocabulary
) -> Iterator[tuple[int, str]]:
    told = events(lowered.module, libraries(vocabulary), needed_by(rules))
    return devices_revealed(lowered, told)


def devices_revealed(lowered: Lowered, told: Iterable[object]) -> Iterator[tuple[int, str]]:
    """Each `reveal_device` of a text once: a call that several paths reach has the devices of
    all."""
    devices = defaultdict(set)
    own = set(walk(lowered.module))
    for event in told:
        if isinstance(event, Reveal) and event.node in own:
            devices[event.node].update(str(event.device).split(" | "))
    spans = lowered.spans(devices)
    for node, texts in devices.items():
        yield spans[node].line, " | ".join(sorted(texts))


@cache
def loaded() -> tuple[AnyRule, ...]:
    return tuple(load_rules())
