"""devlint within flake8, and beside ruff: each heeds its own comments and leaves the others'."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DATA = """import torch


def load():
    return torch.ones(3)
"""
#: A finding on each of the lines 8 to 11, and an import (F401) and a line (E501) for the others.
TRAIN = """import os

import torch

from data import load

weights = torch.ones(3, device="cuda")
first = weights * load()
second = weights * load()  # noqa: DEV201
third = weights * load()  # devlint: ignore[mixed-devices]
fourth = weights * load().reshape(3).reshape(3).reshape(3).reshape(3)  # noqa: E501
"""
RUFF = 'line-length = 60\n[lint]\nselect = ["E501", "F401", "RUF100", "RUF102"]\n'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.py").write_text(DATA)
    Path("train.py").write_text(TRAIN)


def ran(tool: str, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", tool, *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


def flake8(*arguments: str, stdin: str = "") -> list[str]:
    """What flake8 reports, without the messages."""
    done = ran("flake8", "--jobs", "1", *arguments, stdin=stdin)
    assert done.stderr == ""
    return [line.split(" ")[0] + line.split(" ")[1] for line in done.stdout.splitlines()]


def ruff(*arguments: str) -> list[str]:
    done = ran("ruff", "check", "--output-format", "concise", "--no-cache", *arguments)
    return [" ".join(each.split(" ")[:2]) for each in done.stdout.splitlines() if ": " in each[:20]]


def test_flake8_reports_what_devlint_finds_beside_its_own() -> None:
    assert flake8(".") == [
        "./train.py:1:1:F401",
        "./train.py:8:9:DEV201",
        "./train.py:11:10:DEV201",
    ]


def test_flake8_says_what_devlint_check_says() -> None:
    messages = ran("flake8", "--select", "DEV", "train.py").stdout.splitlines()
    shown = ran("devlint", "check", "-q", "--output-format", "concise", "train.py").stdout
    told = [line.replace("DEV201 error ", "DEV201 ") for line in shown.splitlines()]
    assert len(messages) == 2
    assert [f"{message} [mixed-devices]" for message in messages] == told


def test_flake8_without_noqa_hears_what_comments_silence() -> None:
    assert flake8("--select", "DEV", "--disable-noqa", "train.py") == [
        f"train.py:{place}:DEV201" for place in ("8:9", "9:10", "10:9", "11:10")
    ]


def test_flake8_chooses_among_the_codes() -> None:
    assert flake8("--extend-ignore", "DEV2,F", "train.py") == []


def test_flake8_reads_standard_input() -> None:
    assert flake8("--select", "DEV", "-", stdin=TRAIN.replace("load()", "torch.ones(3)")) == [
        "stdin:8:9:DEV201",
        "stdin:11:10:DEV201",
    ]


def test_flake8_follows_the_configuration_of_devlint() -> None:
    Path("devlint.toml").write_text('ignore = ["DEV201"]\n')
    assert flake8("--select", "DEV", "train.py") == []
    Path("devlint.toml").write_text('extend-exclude = ["train.py"]\n')
    assert flake8("--select", "DEV", "train.py") == []


def test_flake8_tells_of_a_comment_that_silences_nothing() -> None:
    Path("train.py").write_text(TRAIN.replace("load()  # noqa: DEV201", "1  # noqa: DEV201"))
    assert "train.py:9:31:DEV901" in flake8("train.py")


def test_flake8_ends_with_a_line_where_the_configuration_is_wrong() -> None:
    Path("devlint.toml").write_text('ignore = ["DEV2O1"]\n')
    done = ran("flake8", "train.py")
    assert done.returncode == 1
    assert "devlint: devlint.toml: ignore: unknown rule 'DEV2O1'" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_ruff_takes_out_codes_of_devlint_unless_it_is_told_of_them() -> None:
    Path("ruff.toml").write_text(RUFF)
    assert "train.py:9:28: RUF102" in ruff("train.py")
    Path("ruff.toml").write_text(f'{RUFF}external = ["DEV"]\n')
    assert ruff("train.py") == ["train.py:1:8: F401"]


def test_ruff_that_is_told_and_devlint_leave_each_others_comments() -> None:
    Path("ruff.toml").write_text(f'{RUFF}external = ["DEV"]\n')
    ruff("--fix", "train.py")
    ran("devlint", "check", "--fix", "train.py")
    assert Path("train.py").read_text() == TRAIN.removeprefix("import os\n")
