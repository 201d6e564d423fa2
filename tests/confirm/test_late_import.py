"""Dynamo is imported by what needs it, and never sees what is replaced."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")

PROGRAM = """
import importlib.util, sys, threading
import torch
from devlint.confirm.emulation.emulate import emulated_cuda

with emulated_cuda():
    x = torch.ones(2, 2, device="cuda")
    assert "torch._dynamo" not in sys.modules
    assert importlib.util.find_spec("torch._dynamo").submodule_search_locations
    assert "torch._dynamo" not in sys.modules
    threading.Thread(target=list).start()
    assert "torch._dynamo" in sys.modules  # Or the thread would see no CUDA while it is imported.
    model = torch.nn.Linear(2, 2).cuda()
    torch.optim.Adam(model.parameters())
    import torch._dynamo.eval_frame
    assert torch._dynamo is sys.modules["torch._dynamo"] and torch._dynamo.__path__
    explanation = torch._dynamo.explain(model)(x)
    assert explanation.graph_count == 1 and torch.compile(model)(x).is_cuda
    from torch.onnx.operators import shape_as_tensor
    assert shape_as_tensor(x).is_cpu and torch.zeros(1, device="cuda").is_cuda
assert torch._dynamo.explain.__module__ == "torch._dynamo.eval_frame"
assert not torch.cuda.is_available() and not hasattr(torch.zeros, "__wrapped__")
assert not any("devlint" in type(each).__module__ for each in sys.meta_path)
"""


def test_dynamo_is_imported_when_something_asks_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_optimizer_finds_dynamo_imported() -> None:
    without_thread = PROGRAM.replace("    threading.Thread(target=list).start()\n", "").replace(
        'assert "torch._dynamo" in sys.modules  #', "#"
    )
    done = subprocess.run([sys.executable, "-c", without_thread], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
