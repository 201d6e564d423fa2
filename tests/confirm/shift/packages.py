"""Packages under test, of one file each, and what a shifted run makes of calls into them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.confirm.shift.package import Package
from devlint.confirm.shift.start import shifting
from devlint.confirm.shift.tally import Tally

NAME = "shifted_package"
HEAD = "import torch\nfrom torch import nn\n\n"
#: A module whose forward is one expression of `x` and `self`.
MODULE = """\
class Net(nn.Module):
    def __init__(self, given=None):
        super().__init__()
        self.given = given
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("steps", torch.zeros(3))

    def forward(self, x, *others, **named):
        assert torch.cuda.is_available()
        {body}
"""


def module(body: str) -> str:
    lines = body.strip().splitlines()
    return HEAD + MODULE.format(body="\n        ".join(lines))


@contextmanager
def shifted(
    folder: Path, text: str, *, goes_on: bool = True, has_functions: bool = False
) -> Iterator[tuple[Any, Tally]]:
    """The package with this text, imported, while calls into it are shifted."""
    (folder / f"{NAME}.py").write_text(text)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        package = Package([NAME])
        with shifting(package, goes_on=goes_on, has_functions=has_functions) as shift:
            yield importlib.import_module(NAME), shift.tally
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(NAME, None)


def line_of(folder: Path, words: str) -> int:
    """The number of the only line of the package with these words in it."""
    lines = (folder / f"{NAME}.py").read_text().splitlines()
    [number] = [number for number, line in enumerate(lines, 1) if words in line]
    return number


def crash(event: DeviceEvent) -> int:
    return event.stack[0][1]


def births(event: DeviceEvent) -> list[int]:
    """The lines that made what is on the CPU."""
    return [each.birth[0][1] for each in event.operands if each.device == "cpu"]
