"""A program of four files: each of its bugs is found there as in one file, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devlint.settings.file import parsed
from devlint.testing.project_spec import found_in, name_of
from tests.default_findings import RULES, told

FOLDER = Path(__file__).parent.parent / "testdata" / "four_files"
#: In the order in which they need each other.
NAMES = ("data.py", "model.py", "engine.py", "main.py")
CLEAN = {name: (FOLDER / name).read_text() for name in NAMES}
OWN = re.compile(r"^from (?:data|model|engine) import .*\n", re.M)


@dataclass(frozen=True)
class Bug:
    """A bug, the files with it, and which code is found in which file."""

    name: str
    files: Mapping[str, str]
    code: str
    file: str


def bugs() -> list[Bug]:
    return [bug(each) for each in parsed((FOLDER / "bugs.toml").read_text())["bug"]]


def bug(known: Mapping[str, Any]) -> Bug:
    files = dict(CLEAN)
    for edit in known["edits"]:
        assert edit["before"] in files[edit["file"]]
        files[edit["file"]] = files[edit["file"]].replace(edit["before"], edit["after"], 1)
    return Bug(known["name"], files, known["code"], known["file"])


def joined(files: Mapping[str, str]) -> str:
    return "\n\n".join(OWN.sub("", files[name]) for name in NAMES)


def test_the_program_is_clean_in_four_files_and_in_one() -> None:
    assert told(CLEAN) == []
    assert told({"all.py": joined(CLEAN)}) == []


@pytest.mark.parametrize("bug", bugs(), ids=lambda bug: bug.name)
def test_a_bug_is_found_in_four_files_as_in_one(bug: Bug) -> None:
    apart = [(name_of(each.path), each.code) for each in told(bug.files)]
    assert (bug.file, bug.code) in apart
    together = {each.code for each in told({"all.py": joined(bug.files)})}
    assert bug.code in together
    assert together <= {code for _, code in apart}


@pytest.mark.parametrize("bug", bugs(), ids=lambda bug: bug.name)
def test_what_no_file_shows_by_itself_names_others(bug: Bug) -> None:
    alone = found_in({bug.file: bug.files[bug.file]}, RULES)
    found = [each for each in told(bug.files) if each.code == bug.code]
    places = {name_of(one.path) for one in found}
    places |= {name_of(each.path) for one in found for each in one.related}
    is_shown = any(each.code == bug.code for each in alone)
    assert is_shown or len(places) > 1 or bug.file == "main.py"
