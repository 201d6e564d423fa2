"""Public functions of a package, and methods of its classes, are shifted where it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from tests.confirm.shift.packages import HEAD, births, line_of, shifted

FUNCTIONS = (
    HEAD
    + '''
def added(x, *, device="cpu"):
    """Adds."""
    assert torch.cuda.is_available()
    return x + torch.ones(3, device=device)

def broken(x):
    return x + torch.ones(3)  # broken

def _private(x):
    return x + torch.ones(3)

def yielding(x):
    yield x + torch.ones(3)

AT_IMPORT = broken(torch.ones(3))

class Table:
    def __init__(self, x):
        self.x = x
        self.doubled = x + x
        self.own = torch.ones(3)  # own

    def looked_up(self, y):
        return self.doubled + y

    def looked_up_wrongly(self, y):
        return self.own + y

    @staticmethod
    def scaled(x):
        return x + torch.ones(3)  # scaled

    @classmethod
    def of(cls, x):
        return cls(x)

class Metric(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))
        self.seen = []

    def update(self, x):
        self.total = self.total + x
        self.seen.append(x)

    def compute(self):
        return self.total + torch.stack(self.seen).sum(0)

    def cpu(self):
        assert not torch.cuda.is_available()
        return super().cpu()
'''
)


def table(package: Any) -> Any:
    return package.Table(torch.ones(3))


CALLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "function": (lambda package: package.broken(torch.ones(3)), "# broken"),
    "method": (lambda package: table(package).looked_up_wrongly(torch.ones(3)), "# own"),
    "static method": (lambda package: package.Table.scaled(torch.ones(3)), "# scaled"),
}
CLEAN: dict[str, Callable[[Any], Any]] = {
    "device by default": lambda package: package.added(torch.ones(3)),
    "device of the test": lambda package: package.added(torch.ones(3), device="cpu"),
    "method": lambda package: table(package).looked_up(torch.ones(3)),
    "class method": lambda package: package.Table.of(torch.ones(3)).looked_up(torch.ones(3)),
    "private function": lambda package: package._private(torch.ones(3)),
    "generator": lambda package: next(package.yielding(torch.ones(3))),
    "import": lambda package: package.AT_IMPORT,
}


@pytest.mark.parametrize("call", CALLS)
def test_a_bug_in_what_is_public_is_found(call: str, tmp_path: Path) -> None:
    use, words = CALLS[call]
    with shifted(tmp_path, FUNCTIONS, has_functions=True) as (package, tally):
        assert use(package).tolist() == [2, 2, 2]
        [found] = tally.events
        assert births(found.event) == [line_of(tmp_path, words)]


@pytest.mark.parametrize("call", CLEAN)
def test_what_is_right_is_left_as_it_is(call: str, tmp_path: Path) -> None:
    with shifted(tmp_path, FUNCTIONS, has_functions=True) as (package, tally):
        result = CLEAN[call](package)
        assert result.device.type == "cpu"
        assert result.tolist()[0] in (2, 3)
        assert tally.events == []


def test_modules_are_filled_and_read_by_their_methods(tmp_path: Path) -> None:
    with shifted(tmp_path, FUNCTIONS, has_functions=True) as (package, tally):
        metric = package.Metric()
        metric.update(torch.ones(3))
        metric.cpu().update(torch.ones(3))
        assert metric.compute().tolist() == [4, 4, 4]
        assert tally.counts["shifted"] == 3
        assert tally.events == []
        assert not tally.unjudged


def test_without_being_asked_for_functions_run_as_they_are(tmp_path: Path) -> None:
    with shifted(tmp_path, FUNCTIONS) as (package, tally):
        assert package.broken(torch.ones(3)).tolist() == [2, 2, 2]
        assert tally.counts["calls"] == 0


def test_stand_ins_look_like_the_functions(tmp_path: Path) -> None:
    text = f"{FUNCTIONS}\ndef twice(x):\n    return x * 2\ndef scaled(x):\n    return twice(x)\n"
    with shifted(tmp_path, text, has_functions=True) as (package, _):
        assert package.added.__name__ == "added"
        assert package.added.__doc__ == "Adds."
        scripted = torch.jit.script(package.scaled)
        assert scripted(torch.ones(3)).tolist() == [2, 2, 2]
    assert package.added.__code__.co_filename == str(tmp_path / "shifted_package.py")
