"""What was seen on real CUDA, in `testdata/evidence`, and what the emulation makes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("numpy", reason="a witness uses NumPy")
pytest.importorskip("expecttest", reason="the samples of PyTorch need it")

from devlint.confirm.evidence.comparison import differences, exceptions_of
from devlint.confirm.evidence.machine_record import record_of
from devlint.rule.registry import load_rules
from tests.test_facts_on_cuda import RECORDS

PROGRAMS = Path(__file__).parents[2] / "testdata" / "confirm"
ENDED = {"program": "a1", "line": 2, "is_silent": False, "message": "CUDA error"}
#: A record, one that differs from it, and the one line that is told of that.
DIFFERENT: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "another place": (
        {"programs": {"p": ENDED}},
        {"programs": {"p": {**ENDED, "line": 0}}},
        "p: ends in line 2 there, well here",
    ),
    "another reason": (
        {"programs": {"p": {**ENDED, "message": "tensors to be on the same device"}}},
        {"programs": {"p": {**ENDED, "message": "no file"}}},
        "p: ends with 'tensors to be on the same device' there, with 'no file' here",
    ),
    "another outcome": (
        {"operators": {"add": {"input, on cpu": ["on cuda"]}}},
        {"operators": {"add": {"input, on cpu": ["refused: in other words"]}}},
        "add: input, on cpu: ['on cuda'] there, ['refused: in other words'] here",
    ),
    "no end here": (
        {"programs": {"p": ENDED}},
        {"programs": {"p": "no end within 60 s"}},
        "p: an answer there, no end within 60 s here",
    ),
    "another cast": (
        {"autocast": {"float16": {"mm": ["dtype"], "exp": ["float32"]}}},
        {"autocast": {"float16": {"mm": [None], "exp": ["float32"]}}},
        "float16: mm: cast to ['dtype'] there, to [None] here",
    ),
}
#: What says nothing of a difference.
ALIKE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "another program of that name": (
        {"programs": {"p": ENDED}},
        {"programs": {"p": {**ENDED, "program": "b2", "line": 0}}},
    ),
    "too few devices there": (
        {"programs": {"p": {"program": "a1", "needs": "2 devices"}}},
        {"programs": {"p": ENDED}},
    ),
    "other words": (
        {"operators": {"add": {"input": ["refused: in CUDA's words"]}}},
        {"operators": {"add": {"input": ["refused: in other words"]}}},
    ),
    "what broke CUDA": (
        {"operators": {"add": {"input": ["on cuda"], "fault": "an illegal access"}}},
        {"operators": {"add": {"input": ["refused: no"]}}},
    ),
    "a function that is not there": ({"operators": {"add": {"input": ["on cuda"]}}}, {}),
}


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def programs(record: dict[str, Any]) -> set[tuple[str, str]]:
    return {(name, row["program"]) for name, row in record["programs"].items()}


@pytest.fixture(scope="module")
def emulated() -> dict[str, Any]:
    return record_of(load_rules(), "emulated", 600.0, PROGRAMS)


def test_the_records_are_of_real_cuda() -> None:
    devices = {read(path)["device"] for path in RECORDS}
    assert "NVIDIA H100 80GB HBM3" in devices
    assert "emulated CUDA" not in devices


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_emulation_agrees_with_every_record(path: Path, emulated: dict[str, Any]) -> None:
    record = read(path)
    assert [*differences(record, emulated, exceptions_of(path))] == []
    told, here = record["programs"], emulated["programs"]
    same = [
        name for name in told if name in here and told[name]["program"] == here[name]["program"]
    ]
    assert len(same) > 300
    assert len(record["operators"].keys() & emulated["operators"].keys()) > 250
    for dtype in ("float16", "bfloat16"):
        assert len(record["autocast"][dtype].keys() & emulated["autocast"][dtype].keys()) > 100


def test_exceptions_are_needed(emulated: dict[str, Any]) -> None:
    for path in RECORDS:
        found = [*differences(read(path), emulated, {})]
        for excepted in (name for part in exceptions_of(path).values() for name in part):
            assert any(line.startswith(f"{excepted}: ") for line in found), excepted


def test_a_witness_that_ends_otherwise_is_told(emulated: dict[str, Any]) -> None:
    rows = [{**row} for row in emulated["evidence"]]
    codes = {row["code"]: row for row in rows}
    codes["DEV201"]["verdict"] = "refuted"
    codes["DEV601"]["verdict"] = "confirmed"
    rows.append({**codes["DEV201"], "code": "DEV299"})
    assert [*differences({"evidence": rows}, emulated, {})] == [
        "DEV201: refuted there, confirmed here",
        "DEV299: refuted there, no witness here",
    ]


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_is_told_unless_it_is_excepted(name: str) -> None:
    record, found, line = DIFFERENT[name]
    record, found = {"evidence": [], **record}, {"evidence": [], **found}
    assert [*differences(record, found, {})] == [line]
    [part] = record.keys() - {"evidence"}
    [excepted] = record[part]
    assert [*differences(record, found, {part: {excepted: "so it is"}})] == []


@pytest.mark.parametrize("name", ALIKE)
def test_what_says_nothing_of_a_difference_is_silent(name: str) -> None:
    record, found = ({"evidence": [], **each} for each in ALIKE[name])
    assert [*differences(record, found, {})] == []


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ('{"evidence": [{"code": "DEV201", "witness": "w", "verdict": "refuted"}]}', 1, "refuted"),
        ("[1]", 2, "no record of evidence"),
        ("{", 2, "no record of evidence"),
    ],
)
def test_the_command_fails_where_a_record_differs(
    tmp_path: Path, text: str, status: int, words: str
) -> None:
    (tmp_path / "record.json").write_text(text)
    command = [sys.executable, "-m", "devlint", "evidence", "--device", "emulated"]
    done = subprocess.run(
        [*command, "--compare", "record.json"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, words in done.stderr) == (status, True), done.stderr
    assert "Traceback" not in done.stderr
