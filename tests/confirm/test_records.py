"""What witnesses did on real CUDA, in `testdata/evidence`, and what the emulation makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devlint.confirm.evidence.machine_record import record_of
from devlint.rule.registry import load_rules

pytest.importorskip("torch")
pytest.importorskip("numpy", reason="a witness uses NumPy")

FOLDER = Path(__file__).parents[2] / "testdata" / "evidence"
#: Records of real CUDA. None was made so far: until one is, the emulation rests on the messages and
#: the laws of PyTorch's own source. `devlint evidence --record` on a machine with a GPU makes one.
EXPECTED: list[str] = []


def read(folder: Path) -> dict[str, Any]:
    return {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


def disagreements(record: dict[str, Any], emulated: dict[str, Any]) -> Iterator[str]:
    """Where the emulation has another verdict than a record, what only CUDA can tell aside."""
    here = {(row["code"], row["witness"]): row["verdict"] for row in emulated["evidence"]}
    for row in record["evidence"]:
        told, verdict = row["verdict"], here.get((row["code"], row["witness"]), "no witness")
        if verdict not in (told, "needs real CUDA"):
            yield f"{row['code']} is {told} on {record['device']}, and emulated {verdict}"


@pytest.fixture(scope="module")
def emulated() -> dict[str, Any]:
    return record_of(load_rules(), "emulated", 60.0)


def test_which_records_of_real_cuda_there_are() -> None:
    assert [*read(FOLDER)] == EXPECTED


def test_the_emulation_agrees_with_every_record(emulated: dict[str, Any]) -> None:
    records = {**read(FOLDER), "its own": emulated}
    told = [line for each in records.values() for line in disagreements(each, emulated)]
    assert told == []


def test_a_record_that_disagrees_is_told(tmp_path: Path, emulated: dict[str, Any]) -> None:
    rows = [{**row} for row in emulated["evidence"]]
    codes = {row["code"]: row for row in rows}
    codes["DEV201"]["verdict"] = "refuted"
    codes["DEV601"]["verdict"] = "confirmed"
    rows.append({**codes["DEV201"], "code": "DEV299"})
    made_up = {**emulated, "device": "NVIDIA A100", "evidence": rows}
    (tmp_path / "cuda-a100-torch2.13.0.json").write_text(json.dumps(made_up))
    (record,) = read(tmp_path).values()
    assert [*disagreements(record, emulated)] == [
        "DEV201 is refuted on NVIDIA A100, and emulated confirmed",
        "DEV299 is refuted on NVIDIA A100, and emulated no witness",
    ]
