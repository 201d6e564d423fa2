"""`devlint run`: processes that a program starts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.confirm.runs import Run

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows starts processes otherwise")

#: What runs in the child: line 4 makes what line 5 meets on the wrong device.
WORK = """\
import torch

def work(*ignored):
    left = torch.ones(2)
    return (torch.ones(2, device="cuda") + left.{moved}).tolist()
"""
#: `torchrun` and its like run the file itself.
SCRIPT = """
def main():
    import os, torch.distributed as dist
    if "RANK" in os.environ:
        dist.init_process_group("nccl")
        shared = torch.ones(1, device="cuda")
        dist.all_reduce(shared)
        assert shared.item() == int(os.environ["WORLD_SIZE"])
    work()

if __name__ == "__main__":
    main()
"""
LAUNCHER = "-m torch.distributed.run --standalone --nproc-per-node 2 work.py"

_GUARDED = "import {imports}\nfrom work import work\nif __name__ == '__main__':\n    {does}\n"


def _guarded(imports: str, does: str) -> str:
    return _GUARDED.format(imports=imports, does=does)


WAYS = {
    "subprocess": "import subprocess, sys\nsubprocess.run([sys.executable, 'work.py'])\n",
    "shell": "import os, sys\nos.system(f'cd . && {sys.executable} work.py')\n",
    "exec": "import os, sys\nos.execv(sys.executable, [sys.executable, 'work.py'])\n",
    "own path": (
        "import os, subprocess, sys\n"
        "subprocess.run([sys.executable, 'work.py'], env={**os.environ, 'PYTHONPATH': 'src'})\n"
    ),
    "spawn": _guarded(
        "multiprocessing as m",
        "p = m.get_context('spawn').Process(target=work); p.start(); p.join()",
    ),
    "forkserver": _guarded(
        "multiprocessing as m",
        "p = m.get_context('forkserver').Process(target=work); p.start(); p.join()",
    ),
    "torch spawn": _guarded("torch.multiprocessing as m", "m.spawn(work, nprocs=2)"),
    "launcher": f"import subprocess, sys\nsubprocess.run([sys.executable, *{LAUNCHER.split()}])\n",
    "pool": _guarded(
        "concurrent.futures as c, multiprocessing as m",
        "list(c.ProcessPoolExecutor(1, m.get_context('spawn')).map(work, [1]))",
    ),
    "loader": _guarded(
        "torch.utils.data as d",
        "list(d.DataLoader([1, 2], 1, num_workers=1, multiprocessing_context='spawn', "
        "collate_fn=work))",
    ),
}


def _write(way: str, moved: str) -> None:
    Path("work.py").write_text(WORK.format(moved=moved) + SCRIPT)
    Path("program.py").write_text(WAYS[way])


@pytest.mark.parametrize("way", WAYS)
def test_events_of_children_are_told_with_their_births(run: Run, way: str) -> None:
    _write(way, "view(2)")
    status, _, err = run("program.py")
    assert status == 1, err
    assert err.count(": DEV910 error") == 1, err
    assert "work.py:5:5: DEV910 error Expected all tensors" in err
    assert "= work.py:4:5: an operand of shape [2] is on cpu since here" in err


@pytest.mark.parametrize("way", WAYS)
def test_children_without_events_are_no_gaps(run: Run, way: str) -> None:
    _write(way, "cuda()")
    status, _, err = run("program.py")
    assert status == 0, err
    assert "DEV910" not in err
    assert "0 device events" in err
    assert "incomplete" not in err
    assert "No device problems found" in err
