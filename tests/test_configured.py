"""What a configuration says of a project's own code holds where it is said, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from devlint.cli import main

#: Nothing but the configured name has to do with devices here.
USED = """from mylib import to_target
from torch import nn


def build(x, place):
    model = to_target(nn.Sequential(nn.Linear(2, 2)))
    model.head = nn.Linear(2, 2)
    return model(x)
"""
NAMED = """import torch

weights = torch.ones(3).to("tpux")
scaled = weights * torch.ones(3)
"""
NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def found(*arguments: str) -> list[tuple[str, str]]:
    result = CliRunner().invoke(main, ["--output-format", "json", *arguments])
    assert result.exit_code < 2, result.output
    return [(each["path"], each["code"]) for each in json.loads(result.stdout)]


def test_a_file_that_mentions_only_what_is_configured_is_looked_at() -> None:
    write("a.py", USED)
    write("devlint.toml", 'moves = ["mylib.to_target"]')
    assert found("a.py") == [("a.py", "DEV101")]
    assert found("--no-screen", "a.py") == [("a.py", "DEV101")]
    assert found("--isolated", "a.py") == []


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_each_file_has_the_names_of_its_own_configuration(order: tuple[str, str]) -> None:
    for name in order:
        write(f"{name}/a.py", NAMED)
        write(f"{name}/b.py", USED)
    write("one/devlint.toml", 'device-names = ["tpux"]')
    write("two/devlint.toml", 'moves = ["mylib.to_target"]')
    assert found(*order) == [("one/a.py", "DEV201"), ("two/b.py", "DEV101")]
    assert found("--isolated", *order) == []


def test_the_command_line_says_names_too() -> None:
    write("a.py", NAMED)
    assert found("--config", 'device-names = ["tpux"]', "a.py") == [("a.py", "DEV201")]
    assert found("a.py") == []


def test_notebooks_heed_the_configuration() -> None:
    cell = {"cell_type": "code", "source": NAMED, "metadata": {}, "outputs": []}
    write("a.ipynb", json.dumps({**NOTEBOOK, "cells": [{**cell, "execution_count": None}]}))
    write("devlint.toml", 'device-names = ["tpux"]')
    assert found("a.ipynb") == [("a.ipynb", "DEV201")]


def test_fixes_see_what_is_configured() -> None:
    text = NAMED.replace("weights * torch.ones(3)", "weights.numpy()")
    write("a.py", text)
    write("devlint.toml", 'device-names = ["tpux"]')
    assert found("--fix", "a.py") == []
    assert "weights.cpu().numpy()" in Path("a.py").read_text()
