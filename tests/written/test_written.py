"""What was found in the programs of testdata/written is found, and nothing in what mends them."""

import pytest

from tests.written.programs import FOLDER, Program, programs

FOUND = frozenset((FOLDER / "found.txt").read_text().split())
#: What is run on the CPU before the model is moved, and would raise behind that.
ALARMED = {"projects/char_lm": ["DEV203"]}
PROGRAMS = [pytest.param(each, id=each.name) for each in programs()]


@pytest.mark.parametrize("program", PROGRAMS)
def test_mended_program_is_silent(program: Program) -> None:
    assert [each.code for each in program.alarms] == ALARMED.get(program.name, [])


@pytest.mark.parametrize("program", PROGRAMS)
def test_found_program_is_still_found(program: Program) -> None:
    assert (program.is_found == "default") >= (program.name in FOUND)


def test_every_name_is_one_of_a_program() -> None:
    assert {each.name for each in programs()} >= FOUND


def test_a_change_is_read_both_ways() -> None:
    [program] = [each for each in programs() if each.name == "language/mingpt_mask"]
    differing = [path for path in program.broken if program.broken[path] != program.mended[path]]
    assert differing == ["main.py"]
    assert program.places >= {("main.py", 44)}
