"""Specs of projects: several files under one heading, each named in a line of its own before it.

    `model.py`

The marks are those of other specs; what the files show of each other counts as well.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from devlint.finding import Finding
from devlint.findings.unused_suppressions import Audit
from devlint.interpret.language.program import events
from devlint.lower import from_ast
from devlint.models.libraries import libraries
from devlint.project.files import Entry
from devlint.project.modules import Module
from devlint.project.order import users_first, uses
from devlint.project.project import Place, Project
from devlint.rule.rule import Rule
from devlint.rule.self_reports import UnusedSuppression
from devlint.run.check import check
from devlint.run.elsewhere import Elsewhere
from devlint.run.problems_to_findings import needed_by
from devlint.settings.project_names import PLAIN, Vocabulary
from devlint.testing.spec import believed, confidences, devices_revealed, loaded, marks, reveals

PART = re.compile(
    r"^#+ (?P<heading>[^\n]+)$|^`(?P<path>[^`\n]+\.py)`\n+```python\n(?P<code>.*?)^```$"
    r"|^```[^\n]*\n.*?^```$",
    re.M | re.S,
)
ROOT = os.path.abspath(os.sep + "project")


@dataclass(frozen=True, slots=True)
class ProjectCase:
    title: str
    files: dict[str, str] = field(default_factory=dict)


class TextFiles:
    """Files that are nowhere but here; paths are below `ROOT`."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.contents = {os.path.join(ROOT, path): text.encode() for path, text in files.items()}
        self._kinds: dict[str, Entry] = dict.fromkeys(self.contents, "file")
        self._kinds[os.path.join(ROOT, ".git")] = "folder"
        for path in self.contents:
            while (path := os.path.dirname(path)) != os.path.dirname(ROOT):
                self._kinds[path] = "folder"

    def entry(self, folder: str, name: str) -> Entry | None:
        return self._kinds.get(os.path.join(folder, name))

    def read(self, path: str) -> bytes:
        if path not in self.contents:
            raise FileNotFoundError(path)
        return self.contents[path]


def project_cases(markdown: str) -> Iterator[ProjectCase]:
    """The cases of a page, in order."""
    case = ProjectCase("")
    for part in PART.finditer(markdown):
        if part["heading"]:
            if case.files:
                yield case
            case = ProjectCase(part["heading"])
        elif part["path"]:
            case.files[part["path"]] = part["code"]
    if case.files:
        yield case


def project_mismatches(case: ProjectCase) -> list[str]:
    """Every way in which what is seen differs from what the marks say; one line each."""
    found: list[str] = []
    wanted = Counter(
        (path, *mark)
        for path, code in case.files.items()
        for mark in (*marks(code, "expect"), *reveals(code))
    )
    related = {
        (path, *mark) for path, code in case.files.items() for mark in marks(code, "related")
    }
    told = {(path, *mark) for path, code in case.files.items() for mark in confidences(code)}
    for front, screen in (("ast", True), ("libcst", False)):
        every = findings(case, screen=screen)
        got, places = seen(case, every)
        for what, many in (("no", wanted - got), ("unexpected", got - wanted)):
            found += (f"{front}: {path}:{line}: {what} {code}" for path, line, code in sorted(many))
        for path, line, code in sorted(related - places):
            found.append(f"{front}: {path}:{line}: no related place of {code}")
        believed_of = {(name_of(e.path), e.span.line, e.code, e.confidence) for e in every}
        for path, line, code, confidence in sorted(told - believed_of):
            found.append(f"{front}: {path}:{line}: {code} is not of {confidence} confidence")
    return found


def seen(
    case: ProjectCase, every: Sequence[Finding]
) -> tuple[Counter[tuple[str, int, str]], set[tuple[str, int, str]]]:
    """What the files of a case lead to, by file and line, and the related places."""
    codes = Counter[tuple[str, int, str]]()
    related = set[tuple[str, int, str]]()
    whole = "".join(case.files.values())
    for finding in believed(every, whole):
        codes[name_of(finding.path), finding.span.line, finding.code] += 1
        for each in finding.related:
            related.add((name_of(each.path), each.span.line, finding.code))
    codes.update(revealed(case))
    return codes, related


def findings(case: ProjectCase, *, screen: bool) -> list[Finding]:
    """What is found in the files of a case."""
    chosen = [rule for rule in loaded() if not rule.is_opt_in or rule.code in str(case.files)]
    audit, rules = Audit.of([*chosen, UnusedSuppression], loaded()), [rule() for rule in chosen]
    return found_in(case.files, rules, audit, screen=screen)


def found_in(
    texts: Mapping[str, str],
    rules: Sequence[Rule[Any]],
    audit: Audit | None = None,
    *,
    screen: bool = True,
    vocabulary: Vocabulary = PLAIN,
) -> list[Finding]:
    """What is found in files by their names, as in a run over their folder."""
    files = TextFiles(texts)
    project = Project(files, [ROOT])
    elsewhere = Elsewhere()
    found: list[Finding] = []
    used = uses(project, map(Module, files.contents))
    project.look_at(used)
    for module in users_first(used):
        one = check(
            module.path,
            files.read(module.path),
            rules,
            audit,
            screen=screen,
            vocabulary=vocabulary,
            project=project,
            known=elsewhere.take(module.path),
        )
        found += one.findings
        elsewhere.add(one.elsewhere)
    return found


def revealed(case: ProjectCase) -> Iterator[tuple[str, int, str]]:
    """What each file reveals, looked at by itself."""
    files = TextFiles(case.files)
    project = Project(files)
    analyses = needed_by([rule() for rule in loaded()])
    for path, code in case.files.items():
        lowered = from_ast.lower(code)
        place = Place(project, Module(os.path.join(ROOT, path)), code)
        told = events(lowered.module, libraries(PLAIN), analyses, place)
        yield from ((path, line, text) for line, text in devices_revealed(lowered, told))


def name_of(path: str) -> str:
    return os.path.relpath(path, ROOT)
