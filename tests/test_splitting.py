"""What is found in a program is found when it is cut into modules."""

from __future__ import annotations

from collections import Counter

import pytest

from .laws.examples import examples
from .splitting.__main__ import BAR, Outcome, main, outcomes, share
from .splitting.modules import modules

#: Findings that the cases have in several files alone, by what they know less of each other.
NOISE = 20

PROGRAM = """\
import torch  # and more
from torch import nn

DEVICE = "cuda"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)


def made():
    return Net().to(DEVICE)


DEVICE = "cpu"
net = made()
"""


def test_definitions_move_and_stay_on_their_lines() -> None:
    files = modules(PROGRAM.replace('DEVICE = "cpu"\n', ""))
    assert files is not None
    lines = {name: text.split("\n") for name, text in files.items()}
    assert lines["models.py"][6] == "class Net(nn.Module):"
    assert lines["helpers.py"][6] == ""
    assert lines["helpers.py"][0] == "import torch; from models import Net  # and more"
    assert lines["main.py"][16] == "net = made()"


def test_what_the_program_changes_stays() -> None:
    files = modules(PROGRAM)
    assert files is not None
    assert "def made" in files["main.py"]
    assert "class Net" not in files["main.py"]


@pytest.fixture(scope="module")
def every() -> list[Outcome]:
    return list(outcomes(examples()))


def test_findings_survive(every: list[Outcome]) -> None:
    assert sum(each.before.total() for each in every) > 400
    assert share(every) >= BAR


def test_little_else_is_found(every: list[Outcome]) -> None:
    assert sum(each.noise.total() for each in every) <= NOISE


def test_losses_do_not_pass() -> None:
    one = Counter({(3, "DEV201"): 1})
    assert share([Outcome("a", one, one), Outcome("b", one, Counter())]) == 0.5
    assert share([Outcome("a", one, one + one)]) == 1.0


def test_outcomes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show"]) == 0
    assert "survive" in capsys.readouterr().out.splitlines()[-1]
