"""Most findings survive rewritings, and the noise that they cause is known."""

from __future__ import annotations

from collections import Counter

import pytest

from devlint.testing.spec import Case

from .laws.examples import Example, drawn, examples
from .rewrites.__main__ import main
from .rewrites.exceptions import MOST, Exceptions, exceptions
from .rewrites.places import Place, survivors
from .rewrites.program import Program, program, programs
from .rewrites.rewriting import REWRITINGS
from .rewrites.score import Outcome, Score, by_rewriting, outcomes, share, total

EVERY = tuple(examples())
BY_NAME = {each.name: each for each in REWRITINGS}
#: Of the findings in a tenth of the cases, how many survive all rewritings at least, and one that
#: applies to as many as MANY: the draw changes with each case that is added.
FLOOR, FLOOR_OF_EACH, MANY = 0.95, 0.85, 10

BAD = """\
import torch

x = torch.ones(3, device="cuda")
y = x + torch.ones(3)
"""
SILENT = BAD.replace(', device="cuda"', "")


def made(code: str) -> Program:
    return program(Example("example", Case("example", code)))


def test_lines_are_followed() -> None:
    result = BY_NAME["temporary"].text(made(BAD))
    assert result is not None
    text, lines = result
    assert text.splitlines()[1:] == [
        "q1 = torch.ones(3, device='cuda')",
        "x = q1",
        "q2 = torch.ones(3)",
        "y = x + q2",
    ]
    assert lines == {1: {1}, 2: {2, 3}, 3: {4, 5}}


def test_a_finding_survives_where_its_line_went() -> None:
    before = Counter({(1, "DEV201"): 2, (2, "DEV201"): 1})
    after = Counter({(4, "DEV201"): 2, (5, "DEV202"): 1, (9, "DEV201"): 1})
    lines = {1: {3, 4}, 2: {4, 5}}
    found = survivors(before, after, lines)
    assert len(found) == 2
    assert {new for _, new in found} == {(4, "DEV201")}


@pytest.fixture(scope="module")
def score() -> Score:
    """Of a tenth of the cases."""
    chosen = list(programs(drawn(EVERY, 7, frozenset())))
    return Score(chosen, list(outcomes(chosen, REWRITINGS)))


def test_findings_survive(score: Score) -> None:
    groups = by_rewriting(score.counted)
    assert len(groups) >= 15
    assert share(score.counted) >= FLOOR
    many = {n: g for n, g in groups.items() if total(each.before for each in g) >= MANY}
    assert {name: share(g) for name, g in many.items() if share(g) < FLOOR_OF_EACH} == {}


def test_noise_is_known(score: Score) -> None:
    assert [each for each in score.outcomes if each.unknown_noise] == []


def test_lost_findings_and_noise_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--rewriting", "alias", "--case", "DEV204/", "--show", "-v"])
    output = capsys.readouterr().out
    assert "# alias: DEV204/Bad" in output
    assert output.splitlines()[-1].startswith("DEV204")
    assert code == int("lost:" in output)


def test_an_unknown_rewriting_is_refused() -> None:
    with pytest.raises(SystemExit):
        main(["--rewriting", "nonsense"])


def test_noise_and_losses_do_not_pass() -> None:
    none, one = Counter[Place](), Counter({(3, "DEV201"): 1})
    loud = Outcome(made(SILENT), REWRITINGS[0], SILENT, none, none, one)
    lost = Outcome(made(BAD), REWRITINGS[0], BAD, one, none, none)
    kept = Outcome(made(BAD), REWRITINGS[0], BAD, one, one, none)
    passes = [Score([], each).passes for each in ([kept], [kept, loud], [kept, lost])]
    assert passes == [True, False, False]


def test_exceptions_are_few_and_of_cases_that_are_there() -> None:
    known, names = exceptions(), {each.name for each in EVERY}
    codes = [each.code for each in known.different]
    assert len(codes) == len(set(codes))
    assert all(len(each.rewritings) <= MOST for each in known.different)
    named = [each.rewritings for each in known.different]
    named += [each.rewritings for each in known.noise]
    assert set[str]().union(*named) <= BY_NAME.keys()
    assert {case for each in known.noise for case in each.cases} <= names


def test_exceptions() -> None:
    known = Exceptions(
        """
        [[different]]
        code = "DEV802"
        rewritings = ["list"]
        reason = "none"

        [[noise]]
        rewritings = ["dict"]
        cases = ["a/b"]
        reason = "none"
        """
    )
    assert known.make_different("DEV802", "list")
    assert not known.make_different("DEV802", "dict")
    assert known.know("a/b", "dict")
    assert not known.know("a/b", "list")
