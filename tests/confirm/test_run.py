"""`devlint run`: what it reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.confirm.runs import Run, found

pytest.importorskip("torch")

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


#: What is on the CPU goes where no finding follows it.
UNFORETOLD = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.made = None
        base = torch.arange(4.0)
        setattr(self, "edam"[::-1], base * 2)

    def forward(self, x):
        return x * self.made

net = Net().cuda()
for _ in range(2):
    net(torch.ones(2, 4, device="cuda", requires_grad=True)).sum().backward()
"""


def told_in(err: str) -> list[str]:
    """The lines that begin findings, and what is said of places."""
    lines = map(str.strip, err.splitlines())
    return [line for line in lines if ": DEV" in line or line.startswith("= ")]


def test_the_crash_the_birth_and_the_roots(run: Run) -> None:
    Path("program.py").write_text(UNFORETOLD)
    status, out, err = run("program.py")
    assert (status, out) == (1, "")
    told = told_in(err)
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


def test_a_bug_that_the_linter_found_is_told_once(run: Run) -> None:
    Path("program.py").write_text(MODEL)
    status, _, err = run("program.py")
    found, *places, fix, proof, other, _ = told_in(err)
    assert (status, found.partition(" error ")[0]) == (1, "program.py:8:9: DEV102")
    assert places == [
        "= program.py:7:9: an operand is computed from what is made here",
        "= program.py:15:5: an operand of shape [2, 4] is on cuda:0 since here",
        "= program.py:15:5: called here",
        "= program.py:11:16: meets `x` here",
        "= program.py:11:16: CUDA refuses it here: an operand of shape [2, 4] is on cuda:0, an "
        "operand of shape [4] is on cpu",
    ]
    assert fix.startswith("= fix: ")
    assert proof.endswith(
        "): RuntimeError: Expected all tensors to be on the same device, but found at least two "
        "devices, cuda:0 and cpu!"
    )
    assert "DEV201" in other
    assert "DEV910" not in err
    assert "Found 2 findings (2 errors) in 1 file." in err
    assert ": 1 device event, found by the linter too; 2 findings of the linter: " in err


def test_a_run_that_keeps_going_tells_each_culprit_once(run: Run) -> None:
    Path("program.py").write_text(MODEL)
    status, items = found(run, "--keep-going", "program.py", "--lr", "1")
    assert status == 1
    assert [(each["code"], each["line"]) for each in items] == [
        ("DEV102", 8),
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
if "other" in sys.argv:
    torch.ones(2, device="cuda") + torch.ones(2)
"""


@pytest.mark.parametrize(
    ("arguments", "status", "verdict"),
    [
        (["flawed"], 1, "confirmed"),
        (["cpu"], 0, "refuted"),
        (["cpu", "crash"], 3, "inconclusive"),
        (["cpu", "other"], 1, "inconclusive"),
        ([], 0, "not reached"),
    ],
)
def test_findings_are_judged(run: Run, arguments: list[str], status: int, verdict: str) -> None:
    Path("program.py").write_text(VERDICTS)
    exit_code, items = found(run, "--keep-going", "program.py", *arguments)
    [finding] = [each for each in items if each["code"] == "DEV101"]
    assert (exit_code, finding["evidence"]["verdict"]) == (status, verdict)
    assert finding["evidence"]["on"] == "emulated CUDA"


FORETOLD = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        scale = torch.ones(2)
        self.scale = scale

    def forward(self, x):
        return x * self.scale

Net().cuda()(torch.ones(2, device="cuda"))
"""


def test_a_crash_where_the_finding_foretells_it_confirms_it(run: Run) -> None:
    Path("program.py").write_text(FORETOLD)
    _, items = found(run, "program.py")
    verdicts = {(each["code"], each["line"]): each["evidence"]["verdict"] for each in items}
    assert verdicts == {("DEV102", 7): "confirmed"}


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


def test_steps_are_counted(run: Run) -> None:
    Path("program.py").write_text(STEPS)
    status, out, err = run("--max-steps", "2", "program.py")
    assert (status, out) == (0, "0\n1\n")
    assert "program.py did all steps it was to do on emulated CUDA" in err


def test_a_torch_that_is_too_old(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "devlint.confirm.emulation.torch_requirement.version", lambda name: "2.5.1+cu124"
    )
    needed = "error: devlint run needs torch >= 2.10, this is 2.5.1+cu124\n"
    assert run("program.py") == (2, "", needed)


def test_a_torch_that_cannot_be_replaced(run: Run, broken: str) -> None:
    Path("program.py").write_text("")
    status, _, err = run("program.py")
    _, first, *_, last = err.splitlines()
    ending = "program.py left at once with exit code 2 before it began."
    assert (status, first, last) == (2, f"error: {broken}", ending)
    assert "Traceback" not in err


def test_real_cuda_that_is_not_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlint.confirm.emulation.real_cuda.has_cuda", lambda: False)
    Path("program.py").write_text("")
    status, _, err = run("--device", "cuda", "program.py")
    assert (status, err.count("\n")) == (2, 1)
    assert "this machine has no CUDA" in err


def test_the_words_of_real_cuda_are_known() -> None:
    from devlint.confirm.device_tags.cuda_messages import is_of_devices

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
    assert "program.py:5:1: DEV910 error" not in err
    assert "confirmed" in err.partition("DEV202")[2].partition("\n\n")[0]
    assert f'File "{tmp_path / "program.py"}", line 5, in <module>' in err
    assert "--sandbox: 2 files were written to a copy" in err
    assert {each.name for each in Path().iterdir()} == {"program.py", "log.txt"}
    assert Path("log.txt").read_text() == "old"
