"""Errors are where programs raise, and what raises is found, but for what programs expect."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="runs programs on emulated CUDA")

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.finding import Finding
from devlint.testing import emulated_cuda
from tests.default_findings import told_alone
from tests.soundness import verdicts
from tests.soundness.programs import HEAD, program
from tests.soundness.verdicts import reduced, verdict

ROOT = Path(__file__).parents[2]
FIRST = HEAD.count("\n") + 1
MIXED = "x = torch.ones(3).cuda()\nif flag0:\n    y = torch.ones(3)\n    z = x + y\n"


@pytest.fixture
def events() -> Iterator[list[DeviceEvent]]:
    with emulated_cuda() as found:
        yield found


def test_a_seeded_part_has_no_false_error() -> None:
    command = [sys.executable, "-m", "tests.soundness", "--count", "250", "--seed", "77000"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    counts = dict(each.split(": ") for each in ran.stdout.splitlines()[0].split(", "))
    assert int(counts["errors"]) > 20
    assert int(counts["silent"]) < 0.2 * int(counts["raising"])


@pytest.mark.parametrize("seed", range(20))
def test_a_seed_gives_one_program_which_is_python(seed: int) -> None:
    assert program(seed) == program(seed)
    compile(program(seed).text, "program.py", "exec")


def test_what_raises_is_seen(events: list[DeviceEvent]) -> None:
    found = verdict(HEAD + MIXED, events)
    assert found is not None
    assert found.raising == {FIRST + 3}
    assert (found.errors, found.false, found.silent) == (1, (), frozenset())


def test_what_nobody_tells_of_is_silent(
    events: list[DeviceEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts, "told_alone", lambda files: [])
    found = verdict(HEAD + MIXED, events)
    assert found is not None
    assert (found.errors, found.silent) == (0, frozenset({FIRST + 3}))


def test_an_error_where_nothing_raises_is_false(
    events: list[DeviceEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(files: Mapping[str, str]) -> list[Finding]:
        return told_alone(dict.fromkeys(files, HEAD + MIXED))

    monkeypatch.setattr(verdicts, "told_alone", elsewhere)
    harmless = MIXED.replace("torch.ones(3)\n    z", "torch.ones(3).cuda()\n    z")
    found = verdict(HEAD + harmless, events)
    assert found is not None
    assert (len(found.false), found.raising) == (1, frozenset())


def test_a_program_that_goes_wrong_by_itself_is_not_judged(events: list[DeviceEvent]) -> None:
    assert verdict(HEAD + "unknown + 1\n", events) is None


def test_a_program_is_reduced_to_what_does(events: list[DeviceEvent]) -> None:
    def raises(text: str) -> bool:
        found = verdict(text, events)
        return found is not None and bool(found.raising)

    text = reduced(HEAD + "t = 1\nfor _ in range(2):\n    u = t\n" + MIXED + "v = 2\n", raises)
    assert text == "import torch\nx = torch.ones(3).cuda()\ny = torch.ones(3)\nz = x + y\n"
