"""What `devlint shift` makes of packages of one file or several."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.confirm.shift.packages import HEAD

NAME = "called_package"
#: A module whose plain attribute stays behind.
POSITIONS = """\
class Positions(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.table = torch.arange(size)

    def forward(self, x):
        return x + self.table
"""
#: One that runs on CUDA, too.
WIDE = """\
class Wide(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.layer = nn.Linear(width, width * heads)

    def forward(self, x):
        return self.layer(x)
"""


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def found(self) -> Any:
        """What was written as JSON."""
        return json.loads(self.out)

    @property
    def summary(self) -> str:
        return self.err.splitlines()[-1]


def shift(folder: Path, *arguments: str, package: str = NAME, **environment: str) -> Done:
    """`devlint shift` of the package, in a folder."""
    command = [sys.executable, "-m", "devlint", "shift", "--isolated", package, *arguments]
    own = {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def lay_out(folder: Path, *parts: str, **modules: str) -> None:
    """The package, of one file with these parts, or with more modules."""
    (folder / NAME).mkdir()
    for name, text in {"__init__": "\n\n".join(parts), **modules}.items():
        (folder / NAME / f"{name}.py").write_text(HEAD + text)
