"""Programs with marks are three programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from .variants import BUGS, OF_LIBRARIES, TORCH_ALONE, programs, variants

PROGRAM = """\
def load():
    x = make().to(device)
    # bug 1: x = make()  # born 1
    # bug 2: x = make(); x += 1  # crash 2
    return x
use(load())  # crash 1, born 2
"""
PROGRAMS = [*programs(TORCH_ALONE), *programs(OF_LIBRARIES)]


def test_a_bug_stands_in_place_of_the_line_above(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    clean, one, two = variants(tmp_path / "program.py")
    assert [each.text.splitlines()[1] for each in (clean, one, two)] == [
        "    x = make().to(device)",
        "    x = make()  # born 1",
        "    x = make(); x += 1  # crash 2",
    ]
    assert [(each.crash, each.births) for each in (clean, one, two)] == [
        (0, ()),
        (6, (2,)),
        (2, (6,)),
    ]
    assert list(map(str, (clean, two))) == ["program", "program, bug 2"]


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_every_program_has_its_bugs(path: Path) -> None:
    clean, *bugs = variants(path)
    assert [each.bug for each in bugs] == list(BUGS)
    assert all(each.crash and each.text != clean.text for each in bugs)
    for each in (clean, *bugs):
        compile(each.text, path.name, "exec")
