"""`devlint run`: the traceback of what ends a program, and code that stands in no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.confirm.runs import Run, found

pytest.importorskip("torch")

LIBRARY = """\
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)

    def forward(self, x, mask):
        return self.layers(x, x, tgt_mask=mask)

model = Model().cuda()
mask = torch.zeros(4, 4)
model(torch.ones(2, 4, 8, device="cuda"), mask)
"""


def traceback_in(err: str) -> list[str]:
    """The lines of the traceback, without marks below the code."""
    _, _, rest = err.partition("Traceback (most recent call last):\n")
    lines = rest.partition("devlint: ")[0].splitlines()
    end = next(number for number, line in enumerate(lines) if line.startswith("RuntimeError: "))
    return [line.strip() for line in lines[: end + 1] if line.strip(" ^~")]


def test_frames_of_a_library_are_folded(run: Run) -> None:
    Path("program.py").write_text(LIBRARY)
    status, _, err = run("program.py")
    path = Path("program.py").resolve()
    outer, code, inner, forward, *library, error = traceback_in(err)
    assert status == 1
    assert (outer, code) == (
        f'File "{path}", line 13, in <module>',
        'model(torch.ones(2, 4, 8, device="cuda"), mask)',
    )
    assert (inner, forward) == (
        f'File "{path}", line 9, in forward',
        "return self.layers(x, x, tgt_mask=mask)",
    )
    assert len(library) == 1
    assert library[0].startswith("\N{HORIZONTAL ELLIPSIS} ")
    assert " frames in torch (functional." in library[0]
    assert error.startswith("RuntimeError: Expected all tensors to be on the same device")
    assert "devlint.confirm" not in err


def test_a_device_error_that_another_came_of_is_folded_too(run: Run) -> None:
    Path("program.py").write_text(
        LIBRARY.replace("model(torch", "try:\n    model(torch")
        + "except RuntimeError as error:\n    raise ValueError('no model') from error\n"
    )
    _, _, err = run("program.py")
    assert " frames in torch (functional." in err
    assert "ValueError: no model" in err
    assert "devlint/confirm" not in err


GENERATED = """\
import dataclasses
import torch

@dataclasses.dataclass
class Batch:
    x: torch.Tensor = dataclasses.field(default_factory=lambda: torch.ones(2))

class Net(torch.nn.Module):
    def forward(self, x):
        return x + Batch().x

def made():
    names = {"torch": torch}
    exec(compile("x = torch.ones(2)", "model_of_yaml.py", "exec"), names)
    return names["x"]

traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU()))
x = torch.ones(2, device="cuda")
for step in (lambda: Net()(x), lambda: made() * x, lambda: traced(x) - made()):
    step()
"""


def test_code_in_no_file_is_told_by_who_ran_it(run: Run) -> None:
    Path("program.py").write_text(GENERATED)
    status, items = found(run, "--keep-going", "program.py")
    places = [each for item in items for each in (item, *item["related"])]
    assert status == 1
    assert {each["path"] for each in places} == {"program.py"}
    assert {10, 6, 14, 18} <= {each["line"] for each in places}


def test_a_traceback_through_generated_code_says_so(run: Run) -> None:
    Path("program.py").write_text(
        "import torch\nx = torch.ones(2, device='cuda')\n"
        "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x + y\n"
        "exec('y = torch.ones(2)')\nnet = torch.fx.symbolic_trace(Net())\nnet(x)\n"
    )
    _, _, err = run("program.py")
    assert "in generated code (forward)\n" in err
    assert "program.py:8:1: DEV910 error" in err
    assert "eval_with_key" not in err


DDP = """\
import sys, tempfile
import torch
from torch.nn.parallel import DistributedDataParallel

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(2, 2).cuda()
        self.head = torch.nn.Linear(2, 2)

where = f"file://{tempfile.mkdtemp()}/store"
torch.distributed.init_process_group("nccl", init_method=where, rank=0, world_size=1)
net = Net()
DistributedDataParallel(net.cuda() if "mend" in sys.argv else net)
"""


def test_what_python_code_of_torch_refuses_is_an_event(run: Run) -> None:
    Path("program.py").write_text(DDP)
    status, [event] = found(run, "program.py")
    assert (status, event["code"], event["line"]) == (1, "DEV910", 14)
    assert event["message"].startswith("DistributedDataParallel's input module must be on")
    assert [each["line"] for each in event["related"]] == [9, 8]
    assert event["evidence"]["error"] == "ValueError"
    assert run("program.py", "mend")[0] == 0


def test_words_about_devices_alone_are_no_event(run: Run) -> None:
    Path("program.py").write_text(
        "import torch\nx = torch.ones(2, device='cuda')\n"
        "raise ValueError('expected all on the same device')\n"
    )
    assert found(run, "program.py") == (1, [])
