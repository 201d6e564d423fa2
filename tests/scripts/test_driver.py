"""The driver itself, on a script that is made up here."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import data
from .__main__ import passes
from .agreement import agreement
from .engine import Event, Found, Outcome
from .facts import Change, Injection, Script, commits, injections, scripts
from .measure import Catch, Comparison, caught, compared, geometric_mean, judged
from .workplace import MissingError, workplace

TRAINING = """\
import sys
import torch

device = "cuda" if torch.cuda.is_available() else sys.argv[1]
model = torch.nn.Linear(10, 1).to(device)
scale = torch.full((1, 1), 0.5).to(device)
for line in open("words.txt"):
    x = torch.tensor([[float(len(word)) for word in line.split()]]).to(device)
    (model(x) * scale).sum().backward()
torch.save(model.state_dict(), "model.pt")
"""
SCRIPT = Script(
    name="made up",
    repository="made/up",
    path="training/train.py",
    on_cpu=("cpu",),
    on_cuda=("none",),
    data=(("text", "words.txt", 50),),
    changes=(Change("training/train.py", "torch.nn.Linear(10, 1)", "torch.nn.Linear(10, 2)"),),
    checkpoint="model.pt",
)


@pytest.fixture
def repositories(tmp_path: Path) -> Path:
    folder = tmp_path / "made+up" / "training"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(TRAINING)
    return tmp_path


def test_a_comparison(repositories: Path) -> None:
    pytest.importorskip("torch")
    found = compared(SCRIPT, repositories, rounds=1)
    assert (found.plain.status, found.emulated.status) == (0, 0), found.emulated.told
    assert found.emulated.events == ()
    assert found.loads is True
    assert found.is_clean
    assert min(found.seconds) > 0
    assert (repositories / "made+up/training/train.py").read_text() == TRAINING


def test_a_bug_is_caught_with_the_line_of_its_birth(repositories: Path) -> None:
    pytest.importorskip("torch")
    change = Change(SCRIPT.path, "torch.full((1, 1), 0.5).to(device)", "torch.full((1, 1), 0.5)")
    crash, born = "(model(x) * scale).sum().backward()", "scale = torch.full((1, 1), 0.5)"
    found = caught(Injection(SCRIPT.name, (change,), crash, born), SCRIPT, repositories)
    assert found.is_caught, found.outcome
    assert "cuda:0 and cpu" in found.outcome.events[0].message


@pytest.mark.parametrize(
    ("crash", "born", "expected"),
    [
        ("x = 1", "y = 2", (True, True)),
        ("y = 2", "y = 2", (False, True)),
        ("x = 1", "x = 1", (True, False)),
        ("z = 3", "", (True, True)),
        ("", "", (False, True)),
    ],
)
def test_lines_are_compared(
    tmp_path: Path, crash: str, born: str, expected: tuple[bool, bool]
) -> None:
    """The event is at line 1, called from line 3, and its operand was made at line 2."""
    (tmp_path / "train.py").write_text("x = 1\ny = 2\n    z = 3\n")
    event = Event((("train.py", 1), (f"{tmp_path}/train.py", 3)), (("train.py", 2),), "words")
    outcome = Outcome(1, 1.0, "", (event,))
    found = judged(Injection(SCRIPT.name, (), crash, born), outcome, tmp_path)
    assert (found.crash, found.born) == expected


def test_without_an_event_only_a_look_alike_is_as_it_should_be(tmp_path: Path) -> None:
    bug, look_alike = Injection(SCRIPT.name, (), "x = 1"), Injection(SCRIPT.name, ())
    assert not judged(bug, Outcome(0, 1.0, ""), tmp_path).is_caught
    assert judged(look_alike, Outcome(0, 1.0, ""), tmp_path).is_caught


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Change(SCRIPT.path, "no such text", ""), "is there 0 times, not once"),
        (Change(SCRIPT.path, "model", ""), "times, not once"),
    ],
)
def test_a_change_that_does_not_fit(repositories: Path, change: Change, words: str) -> None:
    with pytest.raises(MissingError, match=words), workplace(SCRIPT, repositories, [change]):
        pass


def test_a_repository_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"made\+up/training/train.py: no such file"):
        compared(SCRIPT, tmp_path, rounds=1)


def test_the_facts_fit_together() -> None:
    known = {script.name: script for script in scripts()}
    assert len(known) == len(scripts()) >= 15
    assert len([each for each in injections() if each.crash]) >= 40
    assert {script.repository for script in known.values()} == set(commits())
    assert all(hasattr(data, maker) for each in known.values() for maker, *_ in each.data)


def test_look_alikes_are_no_bugs(capsys: pytest.CaptureFixture[str]) -> None:
    bug, other = Injection(SCRIPT.name, (), "x = 1"), Injection(SCRIPT.name, ())
    outcome = Outcome(0, 1.0, "")
    caught_bug, clean, refused = (
        Catch(bug, outcome, True, True),
        Catch(other, outcome, True, True),
        Catch(other, outcome, False, True),
    )
    assert passes([], [caught_bug, clean])
    assert not passes([], [caught_bug, clean, refused])
    assert not passes([], [Catch(bug, outcome, True, False), clean])
    expected = "1 of 1 bugs caught\n1 of 2 look-alikes clean\n"
    assert expected in capsys.readouterr().out


def test_the_geometric_mean() -> None:
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)


def test_agreement_of_the_linter_and_the_dry_runs() -> None:
    clean = Outcome(0, 1.0, "", (), (Found("DEV401", "torch.save(x, f)", "inconclusive"),))
    comparison = Comparison(SCRIPT, clean, clean, (1.0, 1.0), None)
    event = Event((("train.py", 3),), (), "Expected ..")
    old, new = clean.found[0], Found("DEV203", "y = torch.ones(2)", "refuted")
    seen = Outcome(1, 1.0, "", (event,), (old, Found("DEV201", "x + y", "confirmed"), new))
    bugs = [
        a_catch(Injection("made up", (), crash="x + y"), seen),
        a_catch(Injection("made up", (), crash="x * y"), Outcome(1, 1.0, "", (event,), (old,))),
        a_catch(Injection("made up", ()), clean),
    ]
    found = agreement([comparison], bugs)
    assert (found.agreed, found.is_explained) == (1, False)
    assert [(each.side, each.what) for each in found.disagreements] == [
        ("dynamic", "x * y"),
        ("static", "DEV401 torch.save(x, f) (inconclusive)"),
        ("static", "DEV203 y = torch.ones(2) (refuted)"),
    ]
    assert found.disagreements[1].why.startswith("the file loads on no machine without CUDA")
    first = next(iter(found.lines()))
    assert first.endswith("1 events seen by both, 1 dynamic only, 2 static only")


def a_catch(injection: Injection, outcome: Outcome) -> Catch:
    return Catch(injection, outcome, crash=True, born=True, found=outcome.found)
