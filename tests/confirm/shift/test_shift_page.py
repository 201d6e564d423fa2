"""docs/shift.md: what it shows is what happens."""

from __future__ import annotations

import json
from importlib.metadata import version

import pytest
from ruamel.yaml import YAML

from tests.documents import Block, blocks

pytest.importorskip("torch")

import devlint.confirm.pytest.shifted_session  # noqa: F401
from tests.confirm.shift.without_tests import shift

pytest_plugins = ["pytester"]

MENDED = 'self.register_buffer("table", torch.arange(size))'


def shown(program: str) -> tuple[list[str], str]:
    """The options of the command of a program that the page shows, and what it prints."""
    [text] = [each.text for each in page("console") if each.text.startswith(f"$ {program} ")]
    command, _, output = text.partition("\n")
    return command.split()[2:], output


def page(language: str) -> list[Block]:
    return [each for each in blocks(language) if each.document == "docs/shift.md"]


def run(pytester: pytest.Pytester, command: str) -> pytest.RunResult:
    """A command of pytest; devlint is installed for this one."""
    program, *options = command.split()
    assert program == "pytest"
    return pytester.runpytest_inprocess("-p", "devlint.confirm.pytest_plugin", *options)


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> None:
    """Those of the page, which can be imported."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.syspath_prepend(pytester.path)
    for block in page("python"):
        assert block.file
        (pytester.path / block.file).write_text(block.text)


def test_the_bug_shows_when_it_is_shifted(pytester: pytest.Pytester) -> None:
    options, lines = shown("pytest")
    run(pytester, "pytest").assert_outcomes(passed=1)
    # In this process, what runs pytest would be a part of the stack.
    result = pytester.runpytest_subprocess("-p", "devlint.confirm.pytest_plugin", *options)
    result.assert_outcomes(failed=1)
    assert lines in result.stdout.str()


def test_the_bug_shows_without_a_test(pytester: pytest.Pytester) -> None:
    options, output = shown("devlint")
    assert options == ["shift", "positions"]
    done = shift(pytester.path, package="positions", HOME="/nowhere")
    assert f"{done.out}{done.err}".replace(version("torch"), "2.13.0") == output


def test_the_bug_is_mended_as_it_says(pytester: pytest.Pytester) -> None:
    path = pytester.path / "positions.py"
    path.write_text(path.read_text().replace("self.table = torch.arange(size)", MENDED))
    run(pytester, "pytest --devlint-shift=positions").assert_outcomes(passed=1)


def test_the_workflow_writes_what_it_uploads(pytester: pytest.Pytester) -> None:
    [workflow] = page("yaml")
    [job] = YAML(typ="safe").load(workflow.text)["jobs"].values()
    *_, test, upload = job["steps"]
    run(pytester, test["run"]).assert_outcomes(passed=1)
    report = json.loads((pytester.path / upload["with"]["sarif_file"]).read_text())
    [found] = report["runs"][0]["results"]
    assert found["ruleId"] == "DEV911"
