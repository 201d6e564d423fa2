"""`devlint run`: what it reports, and its exit codes, whatever becomes of the program."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devlint.cli import run as verb
from devlint.confirm.watched import watched_paths

pytest.importorskip("torch")

#: Runs `devlint run` with these arguments; gives the exit code, stdout and stderr.
Run = Callable[..., tuple[int, str, str]]

MODEL = """\
import sys
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.arange(4.0)
        self.scale = base * 2

    def forward(self, x):
        return x * self.scale

net = Net().cuda()
for _ in range(2):
    net(torch.ones(2, 4, device="cuda", requires_grad=True)).sum().backward()
torch.ones(2).add_(torch.ones(2, device="cuda"))
print("done", sys.argv[1:], __name__)
"""
#: An event that the program goes on after; what follows depends on its argument.
CAUGHT = """\
import atexit, os, signal, sys, threading, time
import torch

x = torch.ones(2, device="cuda")
try:
    x + torch.ones(2)
except RuntimeError:
    pass
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments: str) -> tuple[int, str, str]:
        status = verb.run.main(["--isolated", *arguments], standalone_mode=False)
        return (status, *capfd.readouterr())

    return run_here


def found(run: Run, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the findings."""
    status, _, _ = run("--output-format", "json", "-o", "report.json", *arguments)
    return status, json.loads(Path("report.json").read_text())


def test_the_crash_the_birth_and_the_roots(run: Run) -> None:
    Path("program.py").write_text(MODEL)
    status, out, err = run("program.py")
    assert (status, out) == (1, "")
    told = [
        line.strip()
        for line in err.splitlines()
        if ": DEV" in line or line.lstrip().startswith("= ")
    ]
    begin = next(number for number, line in enumerate(told) if "DEV910" in line)
    assert told[begin : begin + 5] == [
        "program.py:11:9: DEV910 error Expected all tensors to be on the same device, but found "
        "at least two devices, cuda:0 and cpu! [refused-by-cuda]",
        "= program.py:7:9: an operand is computed from what is made here",
        "= program.py:8:9: an operand of shape [4] is on cpu since here",
        "= program.py:15:5: an operand of shape [2, 4] is on cuda:0 since here",
        "= program.py:15:5: called here",
    ]
    assert told[begin + 5].startswith("= confirmed (emulated CUDA, torch ")


def test_a_run_that_keeps_going_tells_each_culprit_once(run: Run) -> None:
    Path("program.py").write_text(MODEL)
    status, items = found(run, "--keep-going", "program.py", "--lr", "1")
    assert status == 1
    assert [(each["code"], each["line"]) for each in items] == [
        ("DEV102", 8),
        ("DEV910", 11),
        ("DEV910", 16),
        ("DEV201", 16),
    ]
    assert {each["evidence"]["verdict"] for each in items} == {"confirmed"}


VERDICTS = """\
import sys
import torch

def flawed(device):
    model = torch.nn.Linear(2, 2).to(device)
    model.head = torch.nn.Linear(2, 2)
    return model.head(torch.ones(2, 2, device=device))

if "flawed" in sys.argv:
    flawed("cuda")
if "cpu" in sys.argv:
    flawed("cpu")
if "crash" in sys.argv:
    raise SystemExit(3)
"""


@pytest.mark.parametrize(
    ("arguments", "status", "verdict"),
    [
        (["flawed"], 1, "confirmed"),
        (["cpu"], 0, "refuted"),
        (["cpu", "crash"], 3, "inconclusive"),
        ([], 0, "not reached"),
    ],
)
def test_findings_are_judged(run: Run, arguments: list[str], status: int, verdict: str) -> None:
    Path("program.py").write_text(VERDICTS)
    exit_code, items = found(run, "program.py", *arguments)
    [finding] = [each for each in items if each["code"] == "DEV101"]
    assert (exit_code, finding["evidence"]["verdict"]) == (status, verdict)
    assert finding["evidence"]["on"] == "emulated CUDA"


@pytest.mark.parametrize(
    ("program", "expected", "words"),
    [
        ("print(1)", 0, "program.py ran to its end on emulated CUDA"),
        ("raise SystemExit(5)", 5, "0 device events."),
        ("raise SystemExit('so it ends')", 1, "so it ends\n"),
        ("def f():\n    return 1 / 0\n\nf()", 1, "ZeroDivisionError: division by zero\n"),
        ("raise KeyboardInterrupt", 130, "KeyboardInterrupt\n"),
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
    status, _, err = run("--time-limit", "1", "program.py")
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
        assert terminal.stdout.readline() == "begins\n"
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


def test_standard_input_is_the_programs(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print(input().upper())")
    command = [sys.executable, "-m", "devlint", "run", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, input="hello\n", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "HELLO\n")


STEPS = """\
import torch

weight = torch.nn.Parameter(torch.ones(2, device="cuda"))
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(1000):
    print(step)
    weight.grad = torch.ones(2, device="cuda")
    try:
        optimizer.step()
    except Exception:
        pass
"""


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
    assert ": 1 device event;" in err


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


def test_steps_are_counted(run: Run) -> None:
    Path("program.py").write_text(STEPS)
    status, out, err = run("--max-steps", "2", "program.py")
    assert (status, out) == (0, "0\n1\n")
    assert "program.py did all steps it was to do on emulated CUDA" in err


def test_modules_and_several_devices(run: Run) -> None:
    Path("package").mkdir()
    Path("package/__main__.py").write_text(
        "import torch\nprint(torch.ones(2, device='cuda:1') + torch.ones(2, device=0))\n"
    )
    status, _, err = run("--devices", "2", "-m", "package")
    assert status == 1
    assert "package/__main__.py:2:1: DEV910 error Expected all tensors" in err
    assert "cuda:1 and cuda:0!" in err


NOTEBOOK = (
    "%matplotlib inline\nimport torch",
    "!pip install nothing\nmodel = torch.nn.Linear(2, 2).cuda()\ndisplay(model.weight.device)",
    "x = torch.ones(1, 2)\n\ny = model(x)",
    "def f():\n    return 1 / 0\n\nf()",
)


def test_a_notebook_is_told_by_its_cells(run: Run) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "source": source} for source in NOTEBOOK]
    Path("n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    status, out, err = run("--keep-going", "n.ipynb")
    assert (status, out) == (1, "cuda:0\n")
    assert "n.ipynb:cell 3:3:1: DEV910 error" in err
    assert "= n.ipynb:cell 3:1:1: an operand of shape [1, 2] is on cpu since here" in err
    assert "n.ipynb:cell 3:3:11: DEV202 error" in err
    assert "1 finding of the linter: 1 confirmed." in err
    assert re.findall(r'n.ipynb, cell 4", line (\d), in (\S+)\n +(.+)', err) == [
        ("4", "<module>", "f()"),
        ("2", "f", "return 1 / 0"),
    ]


def test_the_files_that_are_watched(run: Run) -> None:
    for name, text in {
        "train.py": "import package.model\nfrom helpers import load\nimport torch\n",
        "helpers.py": "import train\n",
        "other.py": "",
        "package/__init__.py": "",
        "package/model.py": "from . import layers\nfrom .. import nothing\n",
        "package/layers.py": "def broken(:\n",
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    reached = ["helpers.py", "package/__init__.py", "package/layers.py", "package/model.py"]
    assert sorted(watched_paths("train.py", [], is_module=False)) == [*reached, "train.py"]
    assert watched_paths("package.model", [], is_module=True)[0] == "package/__init__.py"
    assert watched_paths("pytest", ["-x", "package", "other.py::test"], is_module=True) == [
        "package",
        "other.py",
    ]
    assert watched_paths("pytest", ["-x"], is_module=True) == ["."]


def test_a_torch_that_is_too_old(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlint.confirm.requirement.version", lambda name: "2.5.1+cu124")
    needed = "error: devlint run needs torch >= 2.6, this is 2.5.1+cu124\n"
    assert run("program.py") == (2, "", needed)


def test_a_torch_that_cannot_be_replaced(run: Run, broken: str) -> None:
    Path("program.py").write_text("")
    status, _, err = run("program.py")
    first, *_, last = err.splitlines()
    ending = "program.py left at once with exit code 2 before it began."
    assert (status, first, last) == (2, f"error: {broken}", ending)
    assert "Traceback" not in err


def test_a_program_that_is_not_there(run: Run) -> None:
    assert run("program.py") == (2, "", "error: program.py: no such file\n")


def test_real_cuda_that_is_not_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlint.confirm.hardware.has_cuda", lambda: False)
    Path("program.py").write_text("")
    status, _, err = run("--device", "cuda", "program.py")
    assert (status, err.count("\n")) == (2, 1)
    assert "this machine has no CUDA" in err


def test_the_words_of_real_cuda_are_known() -> None:
    from devlint.confirm.messages import is_of_devices

    assert is_of_devices("Expected all tensors to be on the same device, but found at least two")
    assert is_of_devices("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()")
    assert is_of_devices("Attempting to deserialize object on a CUDA device but ..")
    assert is_of_devices("Expected a 'cuda' device type for generator but found 'cpu'")
    assert not is_of_devices("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")
    assert not is_of_devices("CUDA out of memory. Tried to allocate 2.00 GiB")


def test_a_silent_bug_is_not_refuted_by_a_run_that_ends_well(run: Run) -> None:
    Path("program.py").write_text(
        "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\n"
        "torch.save(model.state_dict(), 'model.pt')\n"
    )
    status, [finding] = found(run, "program.py")
    assert (status, finding["code"]) == (0, "DEV401")
    assert finding["evidence"]["verdict"] == "inconclusive"
    assert Path("model.pt").exists()


def test_a_sandbox_keeps_the_files_and_tells_what_was_written(run: Run, tmp_path: Path) -> None:
    Path("program.py").write_text(
        "import torch\nopen('log.txt', 'w').write('new')\n"
        f"torch.save(torch.ones(2).cuda(), {str(tmp_path / 'x.pt')!r})\n"
        "model = torch.nn.Linear(2, 2).cuda()\nmodel(torch.ones(1, 2))\n"
    )
    Path("log.txt").write_text("old")
    status, _, err = run("--sandbox", "program.py")
    assert status == 1
    assert "program.py:5:1: DEV910 error" in err
    assert "confirmed" in err.partition("DEV202")[2].partition("\n\n")[0]
    assert "--sandbox: 2 files were written to a copy" in err
    assert {each.name for each in Path().iterdir()} == {"program.py", "log.txt"}
    assert Path("log.txt").read_text() == "old"
