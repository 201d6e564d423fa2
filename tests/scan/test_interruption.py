"""A scan that is interrupted ends at once, keeps what is done, and goes on when asked again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("pyarrow")

from devlint.cli import main
from tests.scan.projects import folder
from tests.scan.test_scan import FAULTY, tables

#: `devlint`, with a child that hangs over the project of that name.
DEVLINT = """
import sys
from devlint.scan import supervision

supervision.COMMAND = (sys.executable, sys.argv.pop(1))
from devlint.cli import main

main()
"""
ARGUMENTS = (
    "scan",
    "before",
    "hangs",
    "after",
    "--batch-size",
    "1",
    "--jobs",
    "1",
    "--estimate",
    "0",
)


def marks() -> list[Path]:
    return [*Path("out").glob("done/*.json")]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_scan_goes_on_after_a_signal(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    for name in ("before", "hangs", "after"):
        folder(Path(name))
    command = [sys.executable, "-c", DEVLINT, str(FAULTY), *ARGUMENTS, "--out", "out"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        while not (Path("pid").exists() and marks()):
            time.sleep(0.1)
        running.send_signal(number)
        assert running.stderr
        said = running.stderr.read()
    if number == signal.SIGINT:
        assert (running.returncode, said.strip()) == (130, "interrupted")
    status = Path("/proc", Path("pid").read_text(), "status")
    while status.exists() and "zombie" not in status.read_text():
        time.sleep(0.1)
    assert len(marks()) == 1
    for out in ("out", "whole"):
        done = CliRunner().invoke(main, [*ARGUMENTS, "--out", out])
        assert done.exit_code == 0, done.output
    assert tables("out") == tables("whole")
