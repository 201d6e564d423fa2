"""CPU time on emulated CUDA against the same program on the CPU.

    python -m tests.benchmarks.emulation_ratio [--rounds 5]

A step of a ResNet18 (which needs torchvision) and a loop of tiny operators, in turn plain and under
`devlint run`, each without its start; then the start, of an empty program against `import torch`.
Medians over the rounds are told.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.cpu_ratio import cpu_seconds
from tests.documents import ROOT

RESNET = """
import torch, torchvision
model = torchvision.models.resnet18().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images = torch.randn(8, 3, 128, 128, device=device)
labels = torch.zeros(8, dtype=torch.long, device=device)
def work():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()
"""
TINY = """
import torch
x, w = torch.ones(4, device=device), torch.ones(4, device=device, requires_grad=True)
def work():
    for _ in range(2000):
        y = ((x * w).relu() + x).sum()
    y.backward()
"""
#: Prints the CPU seconds of three rounds after a first one.
MEASURED = """
import os, sys, time, torch
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_num_threads(1)
{program}
work()
start = time.process_time()
for _ in range(3):
    work()
print(time.process_time() - start)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    for name, ratio in ratios(parser.parse_args().rounds).items():
        print(f"{name}: {ratio:.2f}")


def ratios(rounds: int) -> dict[str, float]:
    """How many times as long each takes; of the start, how many seconds longer."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        measured = {
            "a training step of ResNet18, times": ratio(RESNET, rounds),
            "operators on four numbers, times": ratio(TINY, rounds),
            "the start, seconds more": start(rounds),
        }
        os.chdir(ROOT)
    return {name: round(value, 2) for name, value in measured.items()}


def ratio(program: str, rounds: int) -> float:
    Path("program.py").write_text(MEASURED.format(program=program))
    pairs = [(timed([]), timed(["-m", "devlint", "run"])) for _ in range(rounds)]
    return statistics.median(emulated / plain for plain, emulated in pairs)


def start(rounds: int) -> float:
    Path("program.py").write_text("import torch\n")
    plain = [sys.executable, "program.py"]
    emulated = [sys.executable, "-m", "devlint", "run", "program.py"]
    pairs = [(cpu_seconds(plain), cpu_seconds(emulated)) for _ in range(rounds)]
    return statistics.median(emulated - plain for plain, emulated in pairs)


def timed(command: list[str]) -> float:
    """What the program itself prints."""
    done = subprocess.run(
        [sys.executable, *command, "program.py"], capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


if __name__ == "__main__":
    main()
