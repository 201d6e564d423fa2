"""What a project weighs is known before it is read, and costs no more than its directory."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from devlint.scan.batch import batches, sample
from devlint.scan.estimate import Estimate, duration, estimate
from devlint.scan.limits import HELD
from devlint.scan.mark import Mark
from devlint.scan.result import Result, about
from devlint.scan.unit import Unit
from tests.scan.projects import PROJECT, folder, only, tarred, zipped

SOURCES = sum(len(data) for name, data in PROJECT.items() if name.endswith(".py"))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_zip_weighs_what_its_source_files_unpack_to() -> None:
    zipped(Path("a.whl"), {**PROJECT, "data.bin": bytes(1 << 20)})
    folder(Path("b"))
    assert only("a.whl").weight == only("b").weight == SOURCES


def test_tar_weighs_several_times_its_size() -> None:
    tarred(Path("a.tar.gz"))
    assert only("a.tar.gz").weight == 4 * Path("a.tar.gz").stat().st_size


@pytest.mark.parametrize("length", [0xFFFFFFFF, 65 << 20])
def test_directory_that_is_too_long_is_not_read(length: int) -> None:
    data = bytearray(zipped(Path("a.whl")).read_bytes())
    struct.pack_into("<I", data, data.rindex(b"PK\5\6") + 12, length)
    Path("a.whl").write_bytes(data)
    assert only("a.whl").weight == 4 * len(data)


def test_weight_is_no_more_than_is_ever_read() -> None:
    data = bytearray(zipped(Path("a.whl")).read_bytes())
    at = -1
    while (at := data.find(b"PK\1\2", at + 1)) >= 0:
        struct.pack_into("<I", data, at + 24, 0xFFFFFFFF)
    Path("a.whl").write_bytes(data)
    assert only("a.whl").weight == HELD


def units(*weights: int) -> list[Unit]:
    return [Unit(str(n), "folder", "/", weight=weight) for n, weight in enumerate(weights)]


def test_batch_is_full_with_so_many_bytes() -> None:
    found = [*batches(units(3000, 3000, 3000, 9000, 0, 1), 6000)]
    weights = [[each.weight for each in batch.units] for batch in found]
    assert weights == [[3000, 3000], [3000, 9000], [0, 1]]
    assert [each.weight for each in found] == [6000, 12_000, 2000]
    assert [each.number for each in found] == [0, 1, 2]


def test_name_of_a_batch_changes_with_what_is_in_it() -> None:
    [one], [other] = batches(units(3000), 6), batches(units(4000), 6)
    assert one.name != other.name
    assert one.name.startswith("0000000-")


def test_sample_is_of_so_many_projects_and_the_same_each_time() -> None:
    every = [*batches(units(*[1] * 100), 2000)]
    chosen = sample(every, 25)
    assert sum(len(each.units) for each in chosen) == 26
    assert chosen == sample(every, 25)
    assert chosen != every[:13]
    assert len(sample(every, 1)) == 8
    assert sample(every, 0) == []
    assert len(sample(every, 1000)) == 50


def test_rows_of_a_project_count_what_there_is_nothing_of() -> None:
    [unit] = units(1)
    row = Result(about(unit, is_analysed=True, files=2)).project
    assert (row["files"], row["decided"], row["revision"]) == (2, 0, None)


@pytest.mark.parametrize(
    ("seconds", "weights", "told"),
    [
        ([10, 20], [100, 200], "100 s (100 s to 100 s)"),
        ([10, 30], [100, 100], "3 min (0 s to 12 min)"),
        ([10], [100], "100 s (0 s to 3 min)"),
        ([], [], "0 s (0 s to 0 s)"),
    ],
)
def test_rest_costs_what_the_sample_did(
    seconds: list[float], weights: list[int], told: str
) -> None:
    marks = [Mark(1, 1, 0, 0, w, s, 0) for w, s in zip(weights, seconds, strict=True)]
    assert str(estimate(marks, 1000)) == told


def test_durations_are_read_at_a_glance() -> None:
    assert [*map(duration, (1.4, 119, 600, 7200))] == ["1 s", "119 s", "10 min", "2.0 h"]
    assert str(Estimate(3600, 7200)) == "60 min (0 s to 3.0 h)"
