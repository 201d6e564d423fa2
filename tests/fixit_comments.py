"""devlint beside Fixit, the comments of which it leaves alone, as Fixit leaves its own.

Fixit wants an older click than other tools, and has an environment of its own: `make test-fixit`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FIXIT = Path(__file__).parent.parent / ".venv-fixit" / "bin" / "fixit"
#: Each line but the first two would be found by devlint, by Fixit, or by both.
TRAIN = """import torch
weights = torch.ones(3, device="cuda")
both = weights * torch.ones(3) == None
ours = weights * torch.ones(3) == None  # lint-ignore: CompareSingletonPrimitivesByIs
ours = weights * torch.ones(3) == None  # lint-fixme: CompareSingletonPrimitivesByIs
theirs = weights * torch.ones(3) == None  # noqa: DEV201
theirs = weights * torch.ones(3) == None  # devlint: ignore[DEV201]
none = weights * torch.ones(3) == None  # lint-ignore: CompareSingletonPrimitivesByIs # noqa: DEV201
"""
PROJECT = '[tool.fixit]\nroot = true\nenable = ["fixit.rules:CompareSingletonPrimitivesByIs"]\n'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(TRAIN)
    Path("pyproject.toml").write_text(PROJECT)


def output(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def devlint(*arguments: str) -> str:
    return output(sys.executable, "-m", "devlint", "check", "-q", *arguments, "train.py")


def lines(report: str, word: str) -> set[int]:
    """The lines of the program of which a report says something, by what it calls that."""
    told = (line for line in report.splitlines() if word in line)
    return {int(line.split("train.py")[1].strip("@:").split(":")[0]) for line in told}


def test_devlint_finds_what_comments_of_fixit_silence() -> None:
    report = devlint("--output-format", "concise")
    assert lines(report, "DEV201") == {3, 4, 5}
    assert lines(report, "DEV901") == set()


def test_fixit_finds_what_comments_of_devlint_silence() -> None:
    report = output(FIXIT, "lint", "train.py")
    assert lines(report, "CompareSingletonPrimitivesByIs") == {3, 6, 7}


def test_neither_changes_the_comments_of_the_other() -> None:
    devlint("--fix")
    assert Path("train.py").read_text() == TRAIN
    output(FIXIT, "fix", "--automatic", "train.py")
    mended = [line.replace("== None", "is None") for line in TRAIN.splitlines()]
    expected = [mended[n] if n + 1 in {3, 6, 7} else e for n, e in enumerate(TRAIN.splitlines())]
    assert Path("train.py").read_text().splitlines() == expected


def test_comments_that_devlint_adds_silence_nothing_of_fixit() -> None:
    before = lines(output(FIXIT, "lint", "train.py"), "CompareSingletonPrimitivesByIs")
    devlint("--add-noqa")
    assert lines(devlint("--output-format", "concise"), "DEV201") == set()
    assert lines(output(FIXIT, "lint", "train.py"), "CompareSingletonPrimitivesByIs") == before
