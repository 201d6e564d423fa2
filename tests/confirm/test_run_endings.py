"""`devlint run`: the report and the exit code, whatever becomes of the program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.confirm.runs import CAUGHT, Run

torch: Any = pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("program", "expected", "words"),
    [
        ("print(1)", 0, "program.py ran to its end on emulated CUDA"),
        ("raise SystemExit(5)", 5, "0 device events."),
        ("raise SystemExit('so it ends')", 1, "so it ends\n"),
        ("def f():\n    return 1 / 0\n\nf()", 1, "ZeroDivisionError: division by zero\n"),
        ("raise KeyboardInterrupt", 130, "KeyboardInterrupt\n"),
        ("import os\nos.closerange(3, 256)", 0, "program.py ran to its end"),
        ("import torch\nkept = torch.ones(2, device='cuda')\nraise KeyError", 1, "KeyError\n"),
    ],
)
def test_programs_end_as_they_would(run: Run, program: str, expected: int, words: str) -> None:
    Path("program.py").write_text(program)
    status, _, err = run("program.py")
    assert status == expected, err
    assert words in err
    assert "devlint/" not in err


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("os._exit(7)", "left at once with exit code 7"),
        ("os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ("os.abort()", "was ended by SIGABRT"),
        ("time.sleep(600)", "was ended after 1 s"),
        ("if os.fork(): os.wait()\nelse: x * torch.ones(2)", "2 device events"),
        ("threading.Thread(target=lambda: x * torch.ones(2)).start()", "2 device events"),
        ("atexit.register(lambda: print(x.device, 'at last', file=sys.stderr))", "cuda:0 at last"),
        ("print(input().upper(), file=sys.stderr)", "EOFError"),
        ("import json\njson.dumps = os.write = None\nx * torch.ones(2)", "2 device events"),
        ("os.kill(os.getpid(), signal.SIGRTMIN + 3)", "was ended by signal "),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="Windows has neither these signals nor fork")
def test_the_report_is_there_whatever_happens(run: Run, rest: str, words: str) -> None:
    Path("program.py").write_text(CAUGHT + rest)
    limit = "1" if "sleep" in rest else "60"  # A thread waits for Dynamo.
    status, _, err = run("--time-limit", limit, "program.py")
    assert status == 1
    assert "program.py:6:5: DEV910" in err
    assert words in err


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")
def test_signals_end_the_program_and_not_the_report(
    tmp_path: Path, number: int, status: int
) -> None:
    (tmp_path / "program.py").write_text("import time\nprint(1, flush=True)\ntime.sleep(600)\n")
    command = [sys.executable, "-m", "devlint", "run", "program.py"]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as devlint:
        assert devlint.stdout is not None
        assert devlint.stdout.readline() == "1\n"
        devlint.send_signal(number)
        _, err = devlint.communicate()
    assert devlint.returncode == status
    assert "on emulated CUDA" in err.splitlines()[-1]


#: It holds devlint up, lest two signals in one moment are one.
INTERRUPTED = """\
import os, signal, time

def stop(number, frame):
    print("stops", flush=True)
    os.kill(os.getppid(), signal.SIGCONT)
    time.sleep(1)
    raise SystemExit(3)

signal.signal(signal.SIGINT, stop)
os.kill(os.getppid(), signal.SIGSTOP)
print("begins", flush=True)
time.sleep(600)
"""
ON_A_TERMINAL = "import os, pty, sys; print(os.WEXITSTATUS(pty.spawn(sys.argv[1:])))"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no pty")
def test_one_interrupt_is_one_to_a_program_that_handles_it(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(INTERRUPTED)
    command = [sys.executable, "-c", ON_A_TERMINAL, sys.executable, "-m", "devlint", "run"]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "program.py"], cwd=tmp_path, **pipes) as terminal:
        assert terminal.stdin is not None
        assert terminal.stdout is not None
        assert any(line.endswith("begins\n") for line in terminal.stdout)
        terminal.stdin.write("\x03")
        terminal.stdin.flush()
        told = terminal.stdout.read()
    assert told.count("stops") == 1
    assert told.endswith("3\n")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no nohup")
@pytest.mark.parametrize("options", [[], ["--sandbox"]])
def test_a_run_under_nohup_outlives_its_terminal(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "program.py").write_text(
        "import os, signal\nos.kill(os.getppid(), signal.SIGHUP)\nprint('goes on')\n"
    )
    command = ["nohup", sys.executable, "-m", "devlint", "run", *options, "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "goes on\n")


FORKS = """\
import os
import torch

x = torch.ones(2, device="cuda")
for _ in range(3):
    if not os.fork():
        x + torch.ones(2)
    os.wait()
"""


@pytest.mark.skipif(os.name != "posix", reason="Windows has no fork")
def test_a_fault_of_several_processes_is_told_once(run: Run) -> None:
    Path("program.py").write_text(FORKS)
    _, _, err = run("program.py")
    assert ": 1 device event" in err


def test_a_journal_is_never_a_file_of_the_program(run: Run) -> None:
    close = "os.closerange(3, 256)\nfiles = [open(str(n), 'w') for n in range(9)]\n"
    Path("program.py").write_text(f"{CAUGHT}{close}x * torch.ones(2)")
    status, _, err = run("program.py")
    assert (status, "2 device events" in err) == (1, True), err
    assert {Path(str(n)).read_text() for n in range(9)} == {""}


def test_the_working_directory_of_a_program_may_go(run: Run) -> None:
    go = "import tempfile\nos.chdir(folder := tempfile.mkdtemp())\nos.rmdir(folder)\n"
    go += "exec(compile('1', '<made>', 'exec'))\n"
    Path("program.py").write_text(f"{CAUGHT}{go}x * torch.ones(2)")
    _, _, err = run("program.py")
    assert "2 device events" in err


def test_the_report_outlives_the_working_directory(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("program.py").write_text(f"{CAUGHT}import shutil\nshutil.rmtree(os.getcwd())")
    Path("folder").mkdir()
    monkeypatch.chdir("folder")
    status, _, err = run("../program.py")
    monkeypatch.chdir("..")
    assert (status, "1 device event" in err) == (1, True), err


def test_the_report_of_a_sandbox_outlives_its_copy(run: Run) -> None:
    Path("program.py").write_text(f"{CAUGHT}import shutil\nshutil.rmtree(os.getcwd())\nx * 2")
    status, _, err = run("--sandbox", "program.py")
    assert (status, Path("program.py").exists()) == (1, True)
    assert "program.py ran to its end on emulated CUDA" in err


#: Threads of Gloo hold the tensors still; the model is the last owner of its group of processes.
COMMUNICATING = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
model = DistributedDataParallel(torch.nn.Linear(2, 2).cuda())
part = torch.ones(10_000_000, device="cuda")
work = dist.all_gather([torch.empty_like(part)], part, async_op={is_async})
del work
"""


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize("rest", ["", "dist.destroy_process_group()\ndel model\n"])
def test_programs_end_that_communicate(run: Run, is_async: bool, rest: str) -> None:
    if not torch.distributed.is_available():
        pytest.skip("this PyTorch has no torch.distributed")
    Path("program.py").write_text(COMMUNICATING.format(is_async=is_async) + rest)
    status, _, err = run("--time-limit", "60", "program.py")
    assert status == 0, err
    assert "program.py ran to its end" in err
