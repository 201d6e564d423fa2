"""Every spec of several files holds, through both front ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.testing.project_spec import ProjectCase, project_cases, project_mismatches

SPECS = Path(__file__).parent.parent / "testdata" / "project_specs"
CASES = [
    pytest.param(case, id=f"{path.stem}-{case.title}")
    for path in sorted(SPECS.glob("*.md"))
    for case in project_cases(path.read_text())
]


@pytest.mark.parametrize("case", CASES)
def test_case_holds(case: ProjectCase) -> None:
    assert project_mismatches(case) == []
