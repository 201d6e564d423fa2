"""`pytest --devlint-shift`: which package it is, what fails, and what is told and written."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

# `pytester` forgets what is imported in it first.
import devlint.confirm.pytest.shifted_session  # noqa: F401
from devlint.confirm import pytest_plugin

pytest_plugins = ["pytester"]

PLUGIN = pytest_plugin.__name__
PACKAGE = """\
import torch

HAS_CUDA = torch.cuda.is_available()

class Scale(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.factors = torch.ones(size)

    def forward(self, x):
        return x * self.factors

class Shift(torch.nn.Module):
    def forward(self, x):
        assert HAS_CUDA and x.is_cuda
        return x + 1
"""
TESTS = """\
import pytest, torch
from {package} import Scale, Shift

@pytest.mark.parametrize("size", [2, 3])
def test_scale(size):
    assert Scale(size)(torch.ones(size)).tolist() == [1] * size

def test_shift():
    assert Shift()(torch.ones(2)).numpy().tolist() == [2, 2]

@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_on_cuda():
    assert False
"""
PROJECT = '[project]\nname = "My-Package"\n'


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> None:
    """Only our plugin, whether or not devlint is installed with it; the folder can be imported."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", PLUGIN)
    monkeypatch.syspath_prepend(pytester.path)


def lay_out(folder: Path, package: str = "my_package") -> None:
    (folder / "pyproject.toml").write_text(PROJECT)
    for name in (package, "other_package"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "__init__.py").write_text(PACKAGE)
    (folder / "test_it.py").write_text(TESTS.format(package=package))


def test_the_package_of_the_project_is_shifted(pytester: pytest.Pytester) -> None:
    lay_out(pytester.path)
    result = pytester.runpytest_inprocess("--devlint-shift")
    result.assert_outcomes(failed=2, passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "devlint: calls into my_package are shifted to emulated CUDA",
            ">       return x [*] self.factors",
            "* shifted to emulated CUDA *",
            "my_package/__init__.py:11: Expected all tensors to be on the same device, * "
            "(in a call of `my_package.Scale` by test_it.py::test_scale?2?) ?DEV911?",
            "  an operand of shape ?2? is on cpu since my_package/__init__.py:8",
            "3 outermost calls, 3 shifted; 2 events in 1 place, 0 not judged",
        ]
    )
    assert "devlint/confirm" not in result.stdout.str().replace("\\\\", "/")


def test_another_package_is_shifted_if_it_is_named(pytester: pytest.Pytester) -> None:
    lay_out(pytester.path)
    result = pytester.runpytest_inprocess("--devlint-shift=other_package,another.part")
    assert "no package 'another' can be imported" in result.stderr.str()
    result = pytester.runpytest_inprocess("--devlint-shift=other_package", "-k", "scale")
    result.assert_outcomes(passed=2, deselected=2)
    result.stdout.fnmatch_lines(["0 outermost calls, 0 shifted; no events, 0 not judged"])


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("found.sarif", '{"$schema"'),
        ("found.html", "<!doctype html>"),
        ("found.json", "[{"),
        ("new/found.xml", "<?xml"),
        ("found.txt", "my_package/__init__.py:11:9: DEV911 error"),
    ],
)
def test_with_a_report_all_tests_go_on(pytester: pytest.Pytester, name: str, begins: str) -> None:
    lay_out(pytester.path)
    result = pytester.runpytest_inprocess("--devlint-shift", "--devlint-shift-report", name)
    result.assert_outcomes(passed=3, skipped=1)
    text = (pytester.path / name).read_text()
    assert "".join(text.split()).startswith("".join(begins.split()))
    assert "DEV911" in text
    assert "test_it.py::test_scale[2]" in text or "test_scale&#91;2&#93;" in text


def test_the_report_has_crash_and_birth(pytester: pytest.Pytester) -> None:
    lay_out(pytester.path)
    options = ("--devlint-shift-report", "found", "--devlint-shift-format", "json")
    pytester.runpytest_inprocess("--devlint-shift", *options)
    [finding] = json.loads((pytester.path / "found").read_text())
    assert finding["code"] == "DEV911"
    assert finding["line"] == 11
    births = [each["line"] for each in finding["related"] if "since here" in each["message"]]
    assert 8 in births
    assert finding["evidence"]["verdict"] == "confirmed"


def test_an_unknown_format_is_named(pytester: pytest.Pytester) -> None:
    lay_out(pytester.path)
    options = ("--devlint-shift-report", "found", "--devlint-shift-format", "word")
    result = pytester.runpytest_inprocess("--devlint-shift", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "no format 'word': " in result.stderr.str()


def test_a_report_that_cannot_be_written_is_told(pytester: pytest.Pytester) -> None:
    lay_out(pytester.path)
    (pytester.path / "found.json").mkdir()
    result = pytester.runpytest_inprocess("--devlint-shift", "--devlint-shift-report", "found.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["cannot write *found.json: *"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--devlint-shift"], "name the package that is under test"),
        (["--devlint-shift=my_package", "--devlint-device", "emulated"], "leave --devlint-device"),
    ],
)
def test_usage_errors(pytester: pytest.Pytester, options: list[str], words: str) -> None:
    lay_out(pytester.path, "second_package")
    result = pytester.runpytest_inprocess(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert words in result.stderr.str()


def test_workers_send_what_they_found(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xdist")
    monkeypatch.setenv("PYTEST_PLUGINS", f"{PLUGIN},xdist.plugin")
    monkeypatch.setenv("PYTHONPATH", ":".join([str(pytester.path), *sys.path]))
    lay_out(pytester.path)
    options = ("--devlint-shift", "--devlint-shift-report", "found.json", "-n", "2")
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(passed=3, skipped=1)
    result.stdout.fnmatch_lines(["3 outermost calls, 3 shifted; 2 events in 1 place, 0 not judged"])
    assert len(json.loads((pytester.path / "found.json").read_text())) == 1
