"""A project that takes too much, or ends its process, costs no other."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from devlint.scan import supervision
from devlint.scan.batch import Batch, batches
from devlint.scan.child import Setup
from devlint.scan.engines import process
from devlint.scan.limits import Limits
from devlint.scan.result import Result
from devlint.scan.sources.listing import units
from devlint.scan.supervision import StoppedError, Supervisor
from devlint.scan.unit import Unit
from tests.scan.projects import ISOLATED, folder, places, zipped

FAULTY = Path(__file__).with_name("faulty_child.py")
FOUND = [("pack/train.py", 6, "DEV201")]
SETUP = Setup(ISOLATED, Limits(60, 4 << 30))
#: Ends as soon as its child is at work.
ORPHAN = """
import os, sys, threading, time
from devlint.scan import supervision
from tests.scan.test_supervision import SETUP, Batch, Supervisor, units

supervision.COMMAND = (sys.executable, sys.argv[1])
batch = Batch(0, tuple(units(["hangs"])))
threading.Thread(target=Supervisor(SETUP).scanned, args=[batch], daemon=True).start()
while not os.path.exists("pid"):
    time.sleep(0.1)
os.kill(os.getpid(), 9)
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(supervision, "COMMAND", (sys.executable, str(FAULTY)))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))


def scanned(*names: str, setup: Setup = SETUP) -> dict[str, Result]:
    for name in names:
        folder(Path(name))
    results = Supervisor(setup).scanned(Batch(0, tuple(units(names))))
    return {each.project["project"]: each for each in results}


def rows(one: Result) -> list[object]:
    return [one.project, one.findings, one.failures]


def reason(one: Result) -> str:
    assert one.project["is_analysed"] is False
    [row] = one.failures
    return str(row["reason"])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("hangs", "took longer than 5 seconds"),
        ("dies", "skipped: SIGSEGV ended its analysis, as happens where memory runs out"),
        ("ends", "skipped: its analysis ended by itself with exit code 3"),
    ],
)
def test_project_that_ends_its_process_costs_itself(name: str, why: str) -> None:
    found = scanned("before", name, "after", setup=Setup(ISOLATED, Limits(5, 4 << 30)))
    assert [*found] == ["before", name, "after"]
    assert reason(found[name]) == why
    assert places(found["before"]) == places(found["after"]) == FOUND


def test_what_is_printed_is_no_result() -> None:
    assert places(scanned("prints")["prints"]) == FOUND


@pytest.mark.skipif(sys.platform != "linux", reason="memory is not limited elsewhere")
def test_project_that_needs_too_much_memory_costs_itself() -> None:
    """Of zeros, half a gigabyte is a small archive."""
    Path("big").mkdir()
    zipped(Path("big.whl"), {f"{number}.py": bytes(60 << 20) for number in range(8)})
    folder(Path("after"))
    setup = Setup(ISOLATED, Limits(60, 300 << 20))
    big, after = Supervisor(setup).scanned(Batch(0, tuple(units(["big.whl", "after"]))))
    assert reason(big) == "needs more memory than 314,572,800 bytes"
    assert places(after) == FOUND


def test_project_whose_source_is_broken_is_a_failure() -> None:
    Path("all").mkdir()
    Path("all", "broken.whl").write_text("no zip")
    Path("all", "broken.parquet").write_text("no table")
    folder(Path("all", "whole"))
    found = Supervisor(SETUP).scanned(Batch(0, tuple(units(["all"]))))
    told = {each.project["project"]: each.project["is_analysed"] for each in found}
    assert told == {"all/broken.parquet": False, "all/broken.whl": False, "all/whole": True}


def test_modules_of_the_working_directory_are_not_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(folder(tmp_path / "hostile", {"json.py": b"raise SystemExit(9)\n"}))
    assert Supervisor(SETUP).scanned(Batch(0, tuple(units(["."]))))[0].project["is_analysed"]


def test_engine_gives_what_one_process_gives() -> None:
    names = [f"project{number}" for number in range(6)]
    for name in names:
        folder(Path(name))
    each = [*batches(units(names), 1)]
    found = dict(process.results(each, SETUP, workers=3))
    assert len(found) == 6
    alone = [rows(*scanned(name).values()) for name in names]
    assert [rows(*found[batch]) for batch in each] == alone


def test_engine_that_is_left_ends_what_is_under_way() -> None:
    for name in ("hangs", "quick"):
        folder(Path(name))
    running = process.results([*batches(units(["hangs", "quick"]), 1)], SETUP, workers=2)
    [(unit, results)] = [(batch.units[0], held) for batch, held in [next(running)]]
    running.close()
    assert (unit.project, places(results[0])) == ("quick", FOUND)


def test_supervisor_that_is_stopped_starts_nothing() -> None:
    supervisor = Supervisor(SETUP)
    supervisor.stop()
    with pytest.raises(StoppedError):
        supervisor.scanned(Batch(0, (Unit("a", "folder", os.getcwd()),)))


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_child_ends_when_its_parent_does() -> None:
    folder(Path("hangs"))
    done = subprocess.run([sys.executable, "-c", ORPHAN, str(FAULTY)], check=False)
    status = Path("/proc", Path("pid").read_text(), "status")
    while status.exists() and "zombie" not in status.read_text():
        time.sleep(0.1)
    assert done.returncode == -9
