"""What was seen on real CUDA, in `testdata/evidence`, and what the emulation makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("numpy", reason="a witness uses NumPy")
pytest.importorskip("expecttest", reason="the samples of PyTorch need it")

from devlint.confirm.device_tags.cuda_messages import is_of_devices
from devlint.confirm.evidence.autocast import cast_operators, expected
from devlint.confirm.evidence.machine_record import record_of
from devlint.confirm.evidence.operator_shares import tried
from devlint.confirm.evidence.programs import cases
from devlint.rule.registry import load_rules
from tests.test_facts_on_cuda import RECORDS

PROGRAMS = Path(__file__).parents[2] / "testdata" / "confirm"
#: Programs that end elsewhere on real CUDA, each with the reason.
ELSEWHERE = {
    "deployment: What is compiled twice (2)": "Dynamo tells of it at the call that it explains",
}
#: Functions of which the emulation says something else, each with the reason.
UNLIKE = {
    "nn.functional.multi_margin_loss": "some samples end in an assertion of a kernel",
}


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def disagreements(record: dict[str, Any], emulated: dict[str, Any]) -> Iterator[str]:
    """Where the emulation has another verdict than a record, what only CUDA can tell aside."""
    here = {(row["code"], row["witness"]): row["verdict"] for row in emulated["evidence"]}
    for row in record["evidence"]:
        told, verdict = row["verdict"], here.get((row["code"], row["witness"]), "no witness")
        if told != "needs another device" and verdict not in (told, "needs real CUDA"):
            yield f"{row['code']} is {told} on {record['device']}, and emulated {verdict}"


def other_outcomes(record: dict[str, Any], emulated: dict[str, Any]) -> Iterator[str]:
    """Where a function accepts or refuses another operand, or has its result elsewhere."""
    for name, outcomes in record.items():
        for key, told in outcomes.items() if name in emulated and name not in UNLIKE else ():
            found = emulated[name].get(key, ["not tried"])
            if key != "fault" and "fault" not in told and kinds(told) != kinds(found):
                yield f"{name}: {key}: {told} on CUDA, and emulated {found}"


def kinds(outcomes: list[str]) -> set[str]:
    """Outcomes, whatever words something is refused in."""
    return {each.partition(":")[0] for each in outcomes}


@pytest.fixture(scope="module")
def emulated() -> dict[str, Any]:
    return record_of(load_rules(), "emulated", 60.0)


def test_the_records_are_of_real_cuda() -> None:
    devices = {read(path)["device"] for path in RECORDS}
    assert "NVIDIA H100 80GB HBM3" in devices
    assert "emulated CUDA" not in devices


def test_the_emulation_agrees_with_every_record(emulated: dict[str, Any]) -> None:
    records = [*map(read, RECORDS), emulated]
    assert [line for each in records for line in disagreements(each, emulated)] == []


def test_a_record_that_disagrees_is_told(emulated: dict[str, Any]) -> None:
    rows = [{**row} for row in emulated["evidence"]]
    codes = {row["code"]: row for row in rows}
    codes["DEV201"]["verdict"] = "refuted"
    codes["DEV601"]["verdict"] = "confirmed"
    rows.append({**codes["DEV201"], "code": "DEV299"})
    made_up = {**emulated, "device": "NVIDIA A100", "evidence": rows}
    assert [*disagreements(made_up, emulated)] == [
        "DEV201 is refuted on NVIDIA A100, and emulated confirmed",
        "DEV299 is refuted on NVIDIA A100, and emulated no witness",
    ]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_programs_ended_on_cuda_as_they_do_here(path: Path) -> None:
    """What `test_cases` has the emulation do; CUDA's words differ between versions."""
    told = read(path)["programs"]
    known = {case.name: case for case in cases(PROGRAMS) if case.name not in ELSEWHERE}
    ran = {name: row for name, row in told.items() if name in known and "needs" not in row}
    same = {name: row for name, row in ran.items() if row["program"] == known[name].digest}
    assert len(same) > 300
    for name, row in same.items():
        case = known[name]
        assert (row["line"], row["is_silent"]) == (case.crash, case.is_silent), name
        words_fit = case.words in row["message"] or is_of_devices(row["message"])
        assert words_fit, f"{name}: {row['message']}"


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_autocast_cast_on_cuda_as_its_policies_say(path: Path) -> None:
    told = read(path)["autocast"]
    here = set(cast_operators())
    for dtype in ("float16", "bfloat16"):
        casts = {name: found for name, found in told[dtype].items() if name in here}
        assert len(casts) > 100
        assert casts == {name: expected(name) for name in casts}


def test_functions_refuse_what_they_refused_on_cuda() -> None:
    here = tried("emulated", 2, limit=600.0)
    told = [line for path in RECORDS for line in other_outcomes(read(path)["operators"], here)]
    assert told == []


def test_a_function_that_differs_is_told() -> None:
    key = "args[0], 0-dim, on cpu, others n-dim"
    record = {"add": {key: ["on cuda"], "fault": "an illegal access"}}
    assert [*other_outcomes(record, {"add": {key: ["refused: in other words"]}})] == [
        f"add: {key}: ['on cuda'] on CUDA, and emulated ['refused: in other words']"
    ]
