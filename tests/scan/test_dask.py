"""The workers of a dask cluster give the rows of one process, whatever becomes of them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")

from devlint.cli import main
from devlint.scan.batch import batches
from devlint.scan.child import Setup
from devlint.scan.engines import dask, process
from devlint.scan.errors import ScanError
from devlint.scan.limits import Limits
from devlint.scan.result import Result
from devlint.scan.scan import Scan
from devlint.scan.sources.listing import units
from devlint.scan.store import Store
from tests.scan.cluster import Cluster, cluster
from tests.scan.projects import ISOLATED, PROJECT, folder
from tests.scan.test_scan import tables

SETUP = Setup(ISOLATED, Limits(300, 4 << 30))
PROJECTS = 40
#: Each project has so many files besides those of `PROJECT`.
MORE = 20
USER = b"import torch\nfrom pack.data import load\n\nw = torch.ones(3)\nprint(w * load())\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))


@pytest.fixture
def running() -> Iterator[Cluster]:
    with cluster(workers=2) as found:
        yield found


def projects(more: int) -> None:
    for number in range(PROJECTS):
        files = {f"pack/user{n}.py": USER for n in range(more)}
        folder(Path("all", f"project{number:02}"), {**PROJECT, **files})


def begun(engine: object, out: str, size: int) -> Scan:
    scan = Scan([*batches(units(["all"]), size)], SETUP, Store(out), engine)  # type: ignore[arg-type]
    scan.begin(["all"])
    return scan


def test_worker_that_is_killed_costs_its_batch_alone(running: Cluster) -> None:
    projects(MORE)

    def over_tcp(each: object, setup: Setup) -> object:
        return dask.results(each, setup, running.address)  # type: ignore[arg-type]

    scan = begun(over_tcp, "out", 6_000)
    assert len(scan.batches) == PROJECTS / 4
    for number, _ in enumerate(scan.run(scan.left)):
        if number == len(scan.batches) // 3:
            running.workers[0].kill()
    alone = begun(lambda each, setup: process.results(each, setup, 1), "alone", 6_000)
    assert len([*alone.run(alone.left)]) == len(scan.batches)
    assert tables("out") == tables("alone")
    assert len(tables("out")["findings"]) == PROJECTS


def test_scan_that_ended_at_a_third_is_gone_on_with_by_dask(running: Cluster) -> None:
    projects(1)
    scan = begun(lambda each, setup: process.results(each, setup, 1), "alone", 1)
    for _ in scan.run(scan.left):
        if len(scan.marks) == PROJECTS // 3:
            shutil.copytree("alone", "out")
    arguments = ["scan", "all", "--out", "out", "--batch-size", "1", "--time-limit", "300"]
    parts = {path: path.stat().st_mtime_ns for path in Path("out", "findings").iterdir()}
    shutil.copy("out/manifest.json", "manifest.json")
    more = ["--engine", "dask", "--scheduler", running.address]
    done = CliRunner().invoke(main, [*arguments, *more])
    assert done.exit_code == 0, done.output
    assert "13 of 40 projects are done already" in done.stderr
    assert tables("out") == tables("alone")
    assert {path: path.stat().st_mtime_ns for path in parts} == parts


def test_engines_give_the_same_results(running: Cluster) -> None:
    projects(0)
    every = [*batches(units(["all"]), 2_000)]
    remote = dict(dask.results(every, SETUP, running.address))
    local = dict(process.results(every, SETUP, 2))
    assert {e: rows(found) for e, found in remote.items()} == {
        e: rows(found) for e, found in local.items()
    }


def rows(results: list[Result]) -> list[object]:
    return [(each.project, each.findings, each.failures) for each in results]


def test_scheduler_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "PATIENCE", 0.5)
    projects(0)
    arguments = [
        "scan",
        "all",
        "--out",
        "out",
        "--engine",
        "dask",
        "--scheduler",
        "tcp://127.0.0.1:1",
    ]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: tcp://127.0.0.1:1: no scheduler of dask answers: ")


def test_scheduler_without_workers_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "PATIENCE", 0.5)
    with (
        cluster(workers=0) as empty,
        pytest.raises(ScanError, match="this scheduler has no workers"),
    ):
        next(dask.results([*batches(units(["."]), 1)], SETUP, empty.address))


def test_worker_with_another_devlint_is_refused(
    running: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "version", lambda name: "99")
    projects(0)
    with (
        pytest.raises(ScanError, match=r"this worker has devlint 0.1.0, not 99"),
        closing(dask.results([*batches(units(["all"]), 1)], SETUP, running.address)) as found,
    ):
        next(found)
