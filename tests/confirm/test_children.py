"""`devlint run`: processes that a program starts."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.confirm.runs import Run, found

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
    is_imported = "from work import work" in WAYS[way]
    told = re.findall(r"^work\.py:5:\d+: (\w+) error", err, re.M)
    assert told == ["DEV201" if is_imported else "DEV910"], err
    assert "Found 1 finding " in err
    assert re.search(r"= work\.py:4:\d+: .*an operand of shape \[2\] is on cpu since here", err)


@pytest.mark.parametrize("way", WAYS)
def test_children_without_events_are_no_gaps(run: Run, way: str) -> None:
    _write(way, "cuda()")
    status, _, err = run("program.py")
    assert status == 0, err
    assert "DEV910" not in err
    assert "0 device events" in err
    assert "incomplete" not in err
    assert "No device problems found" in err


PASSED = """\
import multiprocessing, sys
import torch

def work(given, results, taken):
    queued = given.get()
    assert queued.is_cuda and not queued.cpu().is_cuda
    results.put((queued * torch.ones(2, device="cuda"), queued.cpu()))
    taken.wait()  # Its memory is gone when it has ended.

def both(model):
    return model(torch.ones(1, 2, device="cuda"))

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    given, results = context.Queue(), context.Queue()
    taken = context.Event()
    process = context.Process(target=work, args=(given, results, taken))
    process.start()
    sent = torch.ones(2, device="cuda")
    given.put(sent)
    on_cuda, on_cpu = results.get()
    taken.set()
    process.join()
    assert (on_cuda.is_cuda, on_cpu.is_cuda) == (True, False)
    with context.Pool(1) as pool:
        assert pool.apply(both, (torch.nn.Linear(2, 2).cuda().requires_grad_(False),)).is_cuda
"""


def test_tensors_that_go_between_processes_stay_where_they_are(run: Run) -> None:
    Path("program.py").write_text(PASSED)
    status, _, err = run("program.py")
    assert status == 0, err
    assert "0 device events" in err


STEPS = """\
import sys, torch
weight = torch.nn.Parameter(torch.ones(2, device="cuda"))
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(9):
    try:
        weight + torch.ones(2)
    except RuntimeError as error:
        print("stops")
    print(step)
    weight.grad = torch.ones(2, device="cuda")
    optimizer.step()
"""


def test_children_go_on_and_count_steps_as_the_program_would(run: Run) -> None:
    Path("child.py").write_text(STEPS)
    Path("program.py").write_text(
        "import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'], check=True)\n"
    )
    status, out, err = run("--keep-going", "--max-steps", "2", "program.py")
    assert (status, out) == (1, "0\n1\n")
    assert "child.py:6:9: DEV910 error Expected all tensors" in err
    assert "cuda:0 and cpu! (in child.py) [refused-by-cuda]" in err
    assert "1 more process watched." in err


FORKS = """\
import os, torch
for rank in range(2):
    if not os.fork():
        torch.ones(2, device="cuda") + torch.ones(2)
    os.wait()
"""


def test_a_fault_of_children_and_their_forks_is_told_once(run: Run) -> None:
    Path("child.py").write_text(FORKS)
    Path("program.py").write_text(
        "import subprocess, sys\nfor _ in range(2): subprocess.run([sys.executable, 'child.py'])\n"
    )
    status, _, err = run("program.py")
    assert status == 1
    assert err.count(": DEV910 error") == 1, err
    assert "devlint/confirm" not in err


COVERED = """\
import sys, torch

device = "cuda" if len(sys.argv) > 9 else "cpu"
model = torch.nn.Linear(2, 2).to(device)
model.head = torch.nn.Linear(2, 2)
model.head(torch.ones(2, 2, device=device))
"""


def test_lines_that_run_in_children_refute_findings(run: Run) -> None:
    Path("child.py").write_text(COVERED)
    Path("program.py").write_text(
        "import subprocess, sys\nif len(sys.argv) > 9: import child\n"
        "subprocess.run([sys.executable, 'child.py'])\n"
    )
    status, [finding] = found(run, "program.py")
    assert (status, finding["evidence"]["verdict"]) == (0, "refuted")


def test_children_write_into_the_sandbox_of_the_program(run: Run, tmp_path: Path) -> None:
    Path("child.py").write_text(
        "import torch\nopen('log.txt', 'w').write('new')\n"
        f"torch.save(torch.ones(2).cuda(), {str(tmp_path / 'x.pt')!r})\n"
        f"open({str(tmp_path / 'y.txt')!r}, 'w').write('new')\n"
        "torch.ones(2, device='cuda') + torch.ones(2)\n"
    )
    Path("program.py").write_text(
        "import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'])\n"
    )
    status, _, err = run("--sandbox", "program.py")
    assert status == 1, err
    assert "child.py:5:1: DEV910 error" in err
    assert "--sandbox: 3 files were written to a copy" in err
    assert {each.name for each in Path().iterdir()} == {"program.py", "child.py"}


def test_tests_in_workers_of_xdist_run_on_emulated_cuda(run: Run) -> None:
    pytest.importorskip("xdist")
    Path("test_it.py").write_text(
        "import torch\ndef test_it():\n    left = torch.ones(2)\n"
        "    torch.ones(2, device='cuda') + left\n"
    )
    status, _, err = run("-m", "pytest", "-n", "2")
    assert status == 1
    assert "test_it.py:4:5: DEV201 error" in err
    assert "an operand of shape [2] is on cpu since here" in err
