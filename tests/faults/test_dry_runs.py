"""`devlint run` where something around it breaks."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from tests.faults.running import devlint, said

pytest.importorskip("torch")
NO_ROOM = "error: no temporary files can be written: "


@pytest.fixture(autouse=True)
def program(folder: Path) -> None:
    (folder / "p.py").write_text("import torch\nprint(torch.ones(2, device='cuda').device)\n")


@pytest.mark.parametrize("options", [(), ("--sandbox",)], ids=["run", "sandbox"])
@pytest.mark.parametrize("bytes_", [0, 99])
def test_no_file_may_be_written(bytes_: int, options: tuple[str, ...]) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))

    ran = devlint("run", *options, "p.py", before=limit)
    assert (ran.returncode, ran.stdout) == (2, b"")
    began, line = said(ran)
    assert began.startswith("devlint runs your program p.py on ")
    assert "File too large" in line or "No usable temporary directory" in line
    assert line.startswith(NO_ROOM) or "cannot be copied for --sandbox" in line


@pytest.mark.parametrize("options", [("--no-sandbox",), ()], ids=["shift", "sandbox"])
def test_nothing_may_be_written_of_a_shifted_package(
    folder: Path, options: tuple[str, ...]
) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))

    (folder / "shifted.py").write_text("import torch\n")
    ran = devlint("shift", *options, "shifted", before=limit)
    assert (ran.returncode, ran.stdout) == (2, b"")
    [line] = said(ran)
    assert line.startswith(NO_ROOM) or "cannot be copied for --sandbox" in line


@pytest.mark.parametrize("streams", [(0,), (2,), (0, 2)])
@pytest.mark.parametrize("options", [(), ("--sandbox",)], ids=["run", "sandbox"])
def test_closed_streams(streams: tuple[int, ...], options: tuple[str, ...]) -> None:
    def close() -> None:
        for each in streams:
            os.close(each)

    ran = devlint("run", *options, "p.py", before=close)
    assert (ran.returncode, ran.stdout) == (0, b"cuda:0\n")


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "/nonexistent"},
        {"TMPDIR": "/nonexistent"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {f"VARIABLE_{i}": "x" * 100_000 for i in range(10)},
    ],
    ids=["home", "temporary", "ASCII", "huge"],
)
def test_environments(environment: dict[str, str]) -> None:
    ran = devlint("run", "--sandbox", "p.py", environment=environment)
    assert (ran.returncode, ran.stdout) == (0, b"cuda:0\n")
    assert "--sandbox: no file was written." in said(ran)


def test_a_reader_that_has_gone_is_the_programs_fault_alone() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = devlint("run", "p.py", stdout=writing)
    os.close(writing)
    assert ran.returncode != 0
    assert "devlint/" not in ran.stderr.decode()
