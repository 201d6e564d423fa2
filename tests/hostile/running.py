"""What tests of hostile trees share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

MIXED = """import torch

weights = torch.ones(3, device="cuda")
mask = torch.ones(3)
scaled = weights * mask
"""


def devlint(*arguments: str | bytes, seconds: float = 60) -> subprocess.CompletedProcess[bytes]:
    """One run, as bytes: whatever it prints need not be text."""
    command = [sys.executable, "-m", "devlint", *arguments]
    return subprocess.run(
        command, capture_output=True, check=False, timeout=seconds, stdin=subprocess.DEVNULL
    )


def forged(printed: bytes) -> Iterator[bytes]:
    """The lines, as a terminal and the readers of CI logs split them, that act on either."""
    for line in printed.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        is_command = line.lstrip().startswith(b"::") or b"##[" in line or b"##vso[" in line.lower()
        acts = any(each < 32 and each not in b"\t\f" for each in line) or b"\xc2\x9b" in line
        if is_command or acts or b"\x7f" in line:
            yield line
