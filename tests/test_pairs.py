"""Programs that strangers wrote, each right and with one bug that raises on a GPU: the right ones
are silent, and of the bugs it is known which are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from devlint.settings.file import parsed
from tests.default_findings import told, told_alone

FOLDER = Path(__file__).parent.parent / "testdata" / "pairs"


@dataclass(frozen=True)
class Pair:
    """The files of a program as it is right, and with its bug; `is_alone`: a single file that
    belongs to no project in view."""

    right: Mapping[str, str]
    wrong: Mapping[str, str]
    is_found: bool
    is_alone: bool


def pairs() -> Iterator[object]:
    for theme in sorted(FOLDER.glob("*.toml")):
        listed = parsed(theme.read_text())
        for known in listed["pair"]:
            made = pair(theme.with_suffix(""), known, is_alone="is_alone" in listed)
            yield pytest.param(made, id=f"{theme.stem}-{known['name']}")


def pair(theme: Path, known: Mapping[str, object], *, is_alone: bool) -> Pair:
    name, edits = known["name"], known["edits"]
    assert isinstance(edits, list)
    folder = theme / str(name)
    paths = sorted(folder.rglob("*.py")) or sorted(theme.glob(f"{name}.*"))
    whole = folder if folder.is_dir() else theme
    right = {path.relative_to(whole).as_posix(): path.read_text() for path in paths}
    wrong = dict(right)
    for edit in edits:
        file = edit.get("file", next(iter(right)))
        assert wrong[file].count(edit["before"]) == 1
        wrong[file] = wrong[file].replace(edit["before"], edit["after"])
    return Pair(right, wrong, bool(known["is_found"]), is_alone)


@pytest.mark.parametrize("known", list(pairs()))
def test_only_the_wrong_one_has_findings(known: Pair) -> None:
    look = told_alone if known.is_alone else told
    assert look(known.right) == []
    assert bool(look(known.wrong)) is known.is_found
