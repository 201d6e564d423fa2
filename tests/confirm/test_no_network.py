"""`devlint run --no-network`: the processes of a program reach each other, and nobody else."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from devlint.confirm.sandbox import network
from tests.confirm.runs import Run

torch: Any = pytest.importorskip("torch")

needs_name_spaces = pytest.mark.skipif(
    network.refusal() is not None, reason="the system lets no process leave the network"
)
REACH = """
import os, socket, subprocess, sys

for family, there in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
    with socket.socket(family, socket.SOCK_DGRAM) as one:
        assert one.connect_ex((there, 53)), family
code = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])))"
command = [sys.executable, "-I", "-S", "-c", code, sys.argv[1]]
assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 1
assert [os.getuid(), os.getgid()] == [int(each) for each in sys.argv[2:]]
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])))
except ConnectionRefusedError:
    raise SystemExit(7)
"""
WORKERS = """
import os, sys
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def work(rank):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29400", RANK=str(rank), WORLD_SIZE="2")
    dist.init_process_group("gloo")
    sum_ = torch.ones(2, device="cuda") * rank
    dist.all_reduce(sum_)
    print(sum_.tolist(), file=sys.stderr)
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(work, nprocs=2)
"""


@needs_name_spaces
@pytest.mark.parametrize("options", [(), ("--sandbox",)])
def test_nobody_else_is_reached(run: Run, options: tuple[str, ...]) -> None:
    Path("reach.py").write_text(REACH)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        socket.create_connection(("127.0.0.1", int(port))).close()
        own = (str(os.getuid()), str(os.getgid()))
        status, _, err = run(*options, "--no-network", "reach.py", port, *own)
    assert status == 7, err


@needs_name_spaces
def test_processes_of_the_program_reach_each_other(run: Run) -> None:
    Path("workers.py").write_text(WORKERS)
    status, _, err = run("--no-network", "workers.py")
    assert status == 0, err
    assert err.count("[1.0, 1.0]") == 2


def test_where_it_cannot_be_taken_nothing_runs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("program.py").write_text("open('ran', 'w')")

    def refused() -> None:
        raise PermissionError(1, "unshare")

    monkeypatch.setattr(network, "leave", refused)
    status, _, err = run("--no-network", "program.py")
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith(
        "error: --no-network: the system does not let a process leave the network: "
        "Operation not permitted; allow user name spaces ("
    )
    assert not Path("ran").exists()


def test_elsewhere_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert network.refusal() == "--no-network needs Linux"
