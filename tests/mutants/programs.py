"""The correct programs: cases of specs and pages without a finding, projects, any folder."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from devlint.rule.registry import load_rules
from devlint.testing.spec import cases, marks

from .mutation import Program

ROOT = Path(__file__).parent.parent.parent
PROJECTS = tuple(ROOT / "testdata" / "projects" / name for name in ("demo/mended", "correct"))
#: What only devlint knows of: the analysis stays as it is without them.
REVEAL = re.compile(r"^(\s*)reveal_device\(.*$", re.M)


def programs(folders: Iterable[Path] = ()) -> Iterator[Program]:
    for path in sorted((ROOT / "testdata" / "specs").rglob("*.md")):
        yield from correct(named(path), path.read_text(encoding="utf-8"))
    for rule in load_rules():
        page = sys.modules[rule.__module__].__file__
        assert page
        yield from correct(named(Path(page)), rule.page())
    for folder in (*PROJECTS, *folders):
        for path in sorted(folder.rglob("*.py")):
            yield Program(named(path), "", path.read_text(encoding="utf-8"))


def correct(path: str, markdown: str) -> Iterator[Program]:
    for case in cases(markdown):
        if not any(marks(case.code, "expect")):
            yield Program(path, case.title, REVEAL.sub(r"\1pass", case.code))


def named(path: Path) -> str:
    """Relative to the repository, for what lies in it."""
    absolute = path.resolve()
    inside = absolute.is_relative_to(ROOT)
    return absolute.relative_to(ROOT).as_posix() if inside else absolute.as_posix()
