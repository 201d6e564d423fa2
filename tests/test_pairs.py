"""Programs that strangers wrote, each right and with one bug that raises on a GPU: the right ones
are silent, and of the bugs it is known which are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from devlint.settings.file import parsed
from tests.default_findings import told

FOLDER = Path(__file__).parent.parent / "testdata" / "pairs"


@dataclass(frozen=True)
class Pair:
    """The files of a program as it is right, and with its bug."""

    right: Mapping[str, str]
    wrong: Mapping[str, str]
    is_found: bool


def pairs() -> list[object]:
    return [
        pytest.param(pair(theme.with_suffix(""), known), id=f"{theme.stem}-{known['name']}")
        for theme in sorted(FOLDER.glob("*.toml"))
        for known in parsed(theme.read_text())["pair"]
    ]


def pair(theme: Path, known: Mapping[str, object]) -> Pair:
    name, edits = known["name"], known["edits"]
    assert isinstance(edits, list)
    folder = theme / str(name)
    paths = sorted(folder.rglob("*.py")) or [theme / f"{name}.py"]
    whole = folder if folder.is_dir() else theme
    right = {path.relative_to(whole).as_posix(): path.read_text() for path in paths}
    wrong = dict(right)
    for edit in edits:
        file = edit.get("file", f"{name}.py")
        assert wrong[file].count(edit["before"]) == 1
        wrong[file] = wrong[file].replace(edit["before"], edit["after"])
    return Pair(right, wrong, bool(known["is_found"]))


@pytest.mark.parametrize("known", pairs())
def test_only_the_wrong_one_has_findings(known: Pair) -> None:
    assert told(known.right) == []
    assert bool(told(known.wrong)) is known.is_found
