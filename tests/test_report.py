"""Each format writes the same findings as its snapshot in testdata/reports."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest

from devlint.finding import Edit, Evidence, Finding, Patch, Related, Severity, Span
from devlint.report import FORMATS, Report, summary, writer
from devlint.text.source_text import NEWLINE

SNAPSHOTS = Path(__file__).parent.parent / "testdata" / "reports"

TRAIN = """import torch
from torch import nn

model = Net()
model.to(device)
\tmodel.head\t= nn.Linear(3, 4)
größe = "設計" + 模型(x, y)
loss = criterion(
    model(x),

    y,
    reduction="sum",
)
"""
FILES = {"train.py": NEWLINE.split(TRAIN), "lib/net.py": ["x = 1", "y = '\x1b[31m'"]}


def span(line: int, column: int, end_line: int, end_column: int) -> Span:
    return Span(None, line, column, end_line, end_column)


UNREADABLE = Finding(
    "DEV902", "unreadable-file", "cannot read", "error", "gone.py", span(1, 1, 1, 1)
)
CRASH = Finding(
    "DEV999", "internal-error", "KeyError: 'x'", "error", "lib/net.py", span(2, 1, 2, 12)
)
REPLACED = Finding(
    "DEV101",
    "submodule-after-move",
    "`model.head` is replaced after the move",
    "error",
    "train.py",
    span(6, 2, 6, 29),
    (
        Related("train.py", span(5, 1, 5, 17), "moved to `device` here"),
        Related("lib/net.py", span(1, 1, 1, 6), "made on the CPU here"),
    ),
    Patch("move it too: `.to(device)`", "safe", (Edit(span(6, 29, 6, 29), ".to(device)"),)),
    Evidence("confirmed", "emulated CUDA", "2.13.0", "RuntimeError: Expected all tensors"),
)


def mixed(severity: Severity, span: Span) -> Finding:
    return Finding("DEV201", "mixed-devices", "two devices meet", severity, "train.py", span)


FINDINGS = [
    UNREADABLE,
    CRASH,
    REPLACED,
    mixed("warning", span(7, 16, 7, 24)),
    mixed("warning", span(7, 16, 7, 24)),
    mixed("note", span(8, 8, 13, 2)),
]


def lines(path: str, cell: int | None) -> Sequence[str]:
    return FILES.get(path, ())


def written(output_format: str, *, is_coloured: bool = False) -> str:
    report = Report(FINDINGS, 12, lines, is_coloured)
    return "".join(f"{line}\n" for line in writer(output_format)(report))


@pytest.mark.parametrize("output_format", sorted({*FORMATS} - {"sarif", "html"}))
def test_report_is_as_its_snapshot(output_format: str) -> None:
    snapshot = SNAPSHOTS / f"{output_format}.txt"
    assert written(output_format) == snapshot.read_text(encoding="utf-8")


def test_colour_changes_nothing_but_colour() -> None:
    snapshot = SNAPSHOTS / "coloured.txt"
    assert written("full", is_coloured=True) == snapshot.read_text(encoding="utf-8")


def test_carets_stand_below_wide_characters() -> None:
    rows = written("full").splitlines()
    [row] = [n for n, line in enumerate(rows) if "模型" in line][:1]
    before, _, _ = rows[row].partition("模型")
    width = sum(1 + (unicodedata.east_asian_width(each) == "W") for each in before)
    assert rows[row + 1].index("^") == width
    assert rows[row + 1].count("^") == len("模型(x, y)") + 2


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in written("full")


PLACE = ["path", "cell", "line", "column", "end_line", "end_column"]


def test_json_columns_and_keys() -> None:
    item = json.loads(written("json"))[2]
    assert list(item) == [
        *("code", "name", "message", "severity", "confidence", "presumed"),
        *PLACE,
        *("related", "fix", "evidence", "fingerprint"),
    ]
    assert list(item["related"][0]) == [*PLACE, "message", "is_later"]
    assert (item["line"], item["column"], item["end_column"]) == (6, 2, 29)
    assert list(item["fix"]) == ["message", "safety", "risk", "edits"]
    assert list(item["evidence"]) == ["verdict", "on", "torch", "error", "is_general"]
    assert list(item["fix"]["edits"][0]) == [*PLACE, "text"]


def fingerprints(findings: Sequence[Finding], text: Sequence[str]) -> list[str]:
    report = Report(findings, 1, lambda path, cell: text)
    return [item["fingerprint"] for item in json.loads("".join(writer("json")(report)))]


def at(line: int) -> Finding:
    return Finding("DEV101", "x", "", "error", "a.py", span(line, 1, line, 2))


def test_fingerprint_survives_moved_and_reindented_lines() -> None:
    before = fingerprints([at(1), at(2)], ["f(x)", "f(x)"])
    after = fingerprints([at(3), at(4)], ["", "", "  f(x) ", "\tf(x)"])
    assert before == after
    assert before[0] != before[1]


def test_fingerprint_tells_lines_apart() -> None:
    assert len(set(fingerprints([at(1), at(2)], ["f(x)", "f(y)"]))) == 2


def test_findings_are_counted_by_severity() -> None:
    place = span(1, 1, 1, 2)
    found = [mixed(each, place) for each in ("note", "perf", "perf", "error")]
    line = summary.found(Report(found, 3, lines))
    assert line.startswith("Found 4 findings (1 error, 2 slow places, 1 note) in 1 file.")


@pytest.mark.parametrize(
    ("files", "text"),
    [(1, "No device problems found in 1 file."), (12, "No device problems found in 12 files.")],
)
def test_clean_run_says_how_much_it_saw(files: int, text: str) -> None:
    assert summary.found(Report([], files, lines)) == text
