"""What tests of faults share: devlint as a process, and what may be left of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

TEXT = """import torch


def add(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros(3)
    return x + y


def save(model: torch.nn.Module) -> None:
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    torch.save(model.state_dict(), "model.pt")
"""
FIXED = TEXT.replace("zeros(3)", "zeros(3, device=x.device)")
CONCISE = ("--output-format", "concise")


def devlint(
    *arguments: str,
    before: Callable[[], object] | None = None,
    environment: Mapping[str, str] | None = None,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """`before` runs in its process, first of all."""
    return subprocess.run(
        [sys.executable, "-m", "devlint", *arguments],
        env={**os.environ, **(environment or {})},
        preexec_fn=before,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
    )


def shell(script: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """In a shell, to which `$devlint` is the command."""
    return subprocess.run(
        ["sh", "-c", script, "sh", *arguments],
        env={**os.environ, "devlint": f"{sys.executable} -m devlint"},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def is_whole(path: str = "a.py") -> bool:
    """The file is the old one or the new one, and nothing lies beside it."""
    left = [each for each in os.listdir(os.path.dirname(path) or ".") if each.endswith(".devlint")]
    return Path(path).read_text() in (TEXT, FIXED) and not left


def said(ran: subprocess.CompletedProcess[bytes]) -> list[str]:
    """The lines on standard error."""
    return ran.stderr.decode().splitlines()
