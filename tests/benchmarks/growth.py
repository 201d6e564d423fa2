"""How CPU time grows with a file: the time of each item at two lengths, for many shapes of files.

    python -m tests.benchmarks.growth [--lengths 1000 4000] [SHAPE ..]

Start-up is taken off. A ratio of 1 is linear.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.cpu_ratio import cpu_seconds

HEAD = "import torch\nfrom torch import nn\n\nx = torch.ones(3)\n"
CUDA = "torch.ones(3).cuda()"


def lines(template: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """A file of one line, or several, for each item; `@` stands for its number."""
    return lambda n: before + "".join(template.replace("@", str(i)) for i in range(n)) + after


#: What a file of a length holds.
SHAPES: dict[str, Callable[[int], str]] = {
    "moves": lines("x = x.cuda()\n"),
    "discarded moves": lines("x.cuda()\ny = x + 1\n"),
    "names": lines("x@ = torch.ones(@, device='cuda')\n"),
    "attributes": lines("o.a@ = x\n"),
    "attribute chains": lines("o.a@.b.c = nn.Linear(1, 1)\no.a@.b.c.to('cuda')\n"),
    "submodules": lambda n: (
        lines(
            "        self.a@ = nn.Linear(1, 1)\n", "class A(nn.Module):\n    def __init__(self):\n"
        )(n)
        + lines("m.a@ = nn.Linear(1, 1)\n", "m = A().cuda()\n", "m(x)\n")(n)
    ),
    "items of a list": lambda n: f"xs = [{', '.join([CUDA] * n)}]\ny = torch.stack(xs) + x\n",
    "items of a dict": lambda n: f"xs = {{{', '.join(f'{i}: {CUDA}' for i in range(n))}}}\n",
    "appended": lines(f"xs.append({CUDA})\n", "xs = []\n", "y = torch.stack(xs) + x\n"),
    "tests": lines("if c@:\n    x = x.cuda()\n"),
    "tests that end": lines(
        f"    if a == @:\n        return {CUDA}\n", "def f(a):\n", "f(1) + x\n"
    ),
    "loops": lines("for i in r:\n    x = x.cuda()\n"),
    "handlers": lines("try:\n    x = x.cuda()\nexcept E:\n    pass\n"),
    "calls": lines("y@ = f(x)\n", "def f(x):\n    return x.cuda()\n"),
    "functions": lines("def f@(x):\n    return x.cuda() + torch.ones(3)\n"),
    "classes": lines(
        "class M@(nn.Module):\n    def forward(self, x):\n        return x + torch.ones(3)\n"
    ),
    "methods": lambda n: (
        lines(f"    def m@(self):\n        self.x = {CUDA}\n        return self.x\n", "class A:\n")(
            n
        )
        + lines("a.m@()\n", "a = A()\n")(n)
    ),
    "findings": lines("z = x + y\n", f"y = {CUDA}\n"),
    "suppressions": lines("x = 1  # devlint: ignore[DEV201]\n"),
    "optimizers": lines("o = torch.optim.SGD(m.parameters())\nm.cuda()\n", "m = nn.Linear(1, 1)\n"),
    "checkpoints": lines("torch.save(m.state_dict(), 'a@')\n", "m = nn.Linear(1, 1).cuda()\n"),
    "batches": lines("for x, y in loader:\n    m(x)\n", "m = nn.Linear(1, 1).cuda()\n"),
    "cells": lines("# %%\nx = torch.ones(@).cuda()\n"),
    "imports": lines("import m@\n"),
}


def seconds(shape: str, length: int, folder: Path) -> float:
    path = folder / "shape.py"
    path.write_text(HEAD + SHAPES[shape](length))
    command = [sys.executable, "-m", "devlint", "check", "--isolated", "--no-cache"]
    return cpu_seconds([*command, "--statistics", str(path)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="*", choices=[*SHAPES, []], metavar="SHAPE")
    parser.add_argument("--lengths", nargs=2, type=int, default=(1_000, 4_000))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shapes or SHAPES:
            start = seconds(shape, 1, Path(folder))
            times = [seconds(shape, length, Path(folder)) - start for length in options.lengths]
            each = [1e6 * t / length for t, length in zip(times, options.lengths, strict=True)]
            told = ", ".join(f"{one:6.0f}" for one in each)
            print(f"{shape:18} {told} us for each item: ratio {each[1] / each[0]:.2f}", flush=True)


if __name__ == "__main__":
    main()
