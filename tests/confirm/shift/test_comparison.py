"""`devlint shift --compare`: what the linter finds, beside what calls of a package show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from devlint.confirm.dry_run.report.verdicts import lines
from devlint.confirm.shift.comparison import FATES, Fate, Seen, compare
from devlint.finding import Finding, Related, Span
from tests.confirm.shift.packages import HEAD
from tests.confirm.shift.without_tests import NAME, POSITIONS, lay_out, shift

OTHERS = """
class Hidden(nn.Module):
    def __init__(self):
        super().__init__()
        setattr(self, "ta" + "ble", torch.ones(1))

    def forward(self, x):
        return x + getattr(self, "ta" + "ble")

    def never(self, x):
        return x.cuda() + torch.ones(1)


class Sometimes(nn.Module):
    def __init__(self):
        super().__init__()
        self.offset = torch.ones(1)

    def forward(self, x, far=False):
        return x + self.offset if far else x
"""
TEXTS = {
    "both": "self.table = torch.arange(size)",
    "shift only": 'return x + getattr(self, "ta" + "ble")',
    "refuted": "self.offset = torch.ones(1)",
    "not covered": "return x.cuda() + torch.ones(1)",
}
VERDICTS = {"both": "confirmed", "refuted": "refuted", "not covered": "not reached"}


def place(folder: Path, text: str) -> int:
    source = (folder / NAME / "__init__.py").read_text().splitlines()
    return next(number for number, line in enumerate(source, 1) if text in line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    lay_out(folder, POSITIONS, OTHERS)
    return folder


def test_findings_have_their_fates(folder: Path) -> None:
    done = shift(folder, "--compare", "--output-format", "json")
    assert done.status == 1
    fates = {each["line"]: each["fate"] for each in done.found["findings"]}
    assert fates == {place(folder, text): fate for fate, text in TEXTS.items()}
    told = {each["fate"]: each["evidence"]["verdict"] for each in done.found["findings"]}
    assert told == {**VERDICTS, "shift only": "confirmed"}
    assert done.found["rules"]["DEV102"] == {**dict.fromkeys(FATES, 0), "both": 1, "refuted": 1}


def test_there_is_a_table_for_people(folder: Path) -> None:
    done = shift(folder, "--compare", "-o", "compared.txt")
    assert (done.status, done.out) == (1, "")
    head, *rows = (folder / "compared.txt").read_text().split("\n\n")[0].splitlines()
    assert head.split() == " ".join(FATES).split()
    numbers = {row.split()[0]: row.split()[2:] for row in rows}
    assert numbers["DEV102"] == ["1", "0", "1", "0", "0"]
    assert numbers["DEV911"] == ["0", "1", "0", "0", "0"]


def test_other_formats_have_findings_with_evidence(folder: Path) -> None:
    done = shift(folder, "--compare", "--output-format", "json-lines")
    found = [json.loads(line)["evidence"]["verdict"] for line in done.out.splitlines()]
    assert sorted(found) == ["confirmed", "confirmed", "not reached", "refuted"]


def finding(path: Path, line: int, *related: Related) -> Finding:
    span = Span(None, line, 1, line, 2)
    return Finding("DEV102", "name", "message", "error", str(path), span, related)


@pytest.mark.parametrize(
    ("ran", "silent", "fate"),
    [
        ([1, 2], [], "refuted"),
        ([1, 2], ["DEV102"], "not shown"),
        ([1], [], "not covered"),
        ([2], [], "not covered"),
    ],
)
def test_what_is_foretold_has_to_run(
    ran: list[int], silent: list[str], fate: Fate, tmp_path: Path
) -> None:
    path = tmp_path / "a.py"
    path.write_text(HEAD)
    crash = Related(str(path), Span(None, 2, 1, 2, 2), "there", is_later=True)
    case = finding(path, 1, crash)
    name, _, _ = lines(case)
    seen = Seen([], {(name, line) for line in ran}, "2.13.0", silent)
    assert [each.fate for each in compare([case], seen)] == [fate]
