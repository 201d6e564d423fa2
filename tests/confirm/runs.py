"""What the tests of `devlint run` have in common."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Runs `devlint run` with these arguments; gives the exit code, stdout and stderr.
Run = Callable[..., tuple[int, str, str]]

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


def found(run: Run, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the findings."""
    status, _, _ = run("--output-format", "json", "-o", "report.json", *arguments)
    return status, json.loads(Path("report.json").read_text())
