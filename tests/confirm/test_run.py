"""`devlint run`: what it reports, and its exit codes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devlint.cli import run as verb

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


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def run_here(*arguments: str) -> tuple[int, str, str]:
        status = verb.run.main([*arguments], standalone_mode=False)
        return (status, *capfd.readouterr())

    return run_here


def test_the_crash_the_birth_and_the_roots(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(MODEL)
    command = [sys.executable, "-W", "ignore", "-m", "devlint", "run", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "program.py:11: Expected all tensors to be on the same device, but found at least two "
        "devices, cuda:0 and cpu!",
        "      return x * self.scale",
        "  an operand of shape [2, 4] is on cuda:0 since program.py:15",
        '      net(torch.ones(2, 4, device="cuda", requires_grad=True)).sum().backward()',
        "  an operand of shape [4] is on cpu since program.py:8",
        "      self.scale = base * 2",
        "    computed from what was made at program.py:7",
        "  called at program.py:15",
        "",
        "1 device event on emulated CUDA (1 device).",
    ]


def test_a_run_that_keeps_going_tells_each_culprit_once(run: Run) -> None:
    Path("program.py").write_text(MODEL)
    status, out, err = run("--keep-going", "program.py", "--lr", "1")
    assert (status, out) == (1, "done ['--lr', '1'] __main__\n")
    heads = [line.partition(" ")[0] for line in err.splitlines() if "Expected" in line]
    assert heads == ["program.py:11:", "program.py:16:"]
    assert err.endswith("2 device events on emulated CUDA (1 device).\n")


@pytest.mark.parametrize(
    ("program", "expected", "words"),
    [
        ("print(1)", 0, "No device event on emulated CUDA (1 device)."),
        ("raise SystemExit(5)", 5, "No device event"),
        ("raise SystemExit('so it ends')", 1, "so it ends\n"),
        ("def f():\n    return 1 / 0\n\nf()", 1, "ZeroDivisionError: division by zero\n"),
        ("raise KeyboardInterrupt", 130, "KeyboardInterrupt\n"),
        ("import torch\ntorch.ones(2).cuda().cpu().tolist()", 0, "No device event"),
    ],
)
def test_programs_end_as_they_would(run: Run, program: str, expected: int, words: str) -> None:
    Path("program.py").write_text(program)
    status, _, err = run("program.py")
    assert status == expected, err
    assert words in err
    assert "devlint" not in err


def test_modules_and_several_devices(run: Run) -> None:
    Path("package").mkdir()
    Path("package/__main__.py").write_text(
        "import torch\nprint(torch.ones(2, device='cuda:1') + torch.ones(2, device=0))\n"
    )
    status, _, err = run("--devices", "2", "-m", "package")
    assert status == 1
    assert "package/__main__.py:2: Expected all tensors" in err
    assert "cuda:1 and cuda:0!" in err
    assert err.endswith("1 device event on emulated CUDA (2 devices).\n")


def test_without_torch_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "find_spec", lambda name: None)
    status, _, err = run("program.py")
    assert status == 2
    assert "pip install 'devlint[confirm]'" in err


def test_a_program_that_is_not_there(run: Run) -> None:
    assert run("program.py") == (2, "", "error: program.py: no such file\n")
