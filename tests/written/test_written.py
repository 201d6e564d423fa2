"""What was found in the programs of testdata/written is found, and nothing in what mends them."""

import pytest

from tests.written.programs import FOLDER, programs

FOUND = (FOLDER / "found.txt").read_text().split()
#: What is run on the CPU before the model is moved, and would raise behind that; and weights that
#: are written from an accelerator, as its authors left it.
ALARMED = {"projects/char_lm": ["DEV203"], "fifth_files/char_rnn_names": ["DEV401"]}
PROGRAMS = {each.name: each for each in programs()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_mended_program_is_silent(name: str) -> None:
    assert [each.code for each in PROGRAMS[name].alarms] == ALARMED.get(name, [])


@pytest.mark.parametrize("name", FOUND)
def test_found_program_is_still_found(name: str) -> None:
    assert PROGRAMS[name].found_by == "default"


def test_a_change_is_read_both_ways() -> None:
    program = PROGRAMS["language/mingpt_mask"]
    differing = [path for path in program.broken if program.broken[path] != program.mended[path]]
    assert differing == ["main.py"]
    assert program.places >= {("main.py", 44)}
