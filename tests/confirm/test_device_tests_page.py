"""docs/device-tests.md: its tests run, and tell what it shows."""

from __future__ import annotations

import re

import pytest
from ruamel.yaml import YAML

from tests.documents import Block, blocks

pytest.importorskip("torch")

import devlint.confirm.pytest.session  # noqa: F401

pytest_plugins = ["pytester"]


def page(language: str) -> list[Block]:
    return [each for each in blocks(language) if each.document == "docs/device-tests.md"]


def run(pytester: pytest.Pytester, command: str, *names: str) -> pytest.RunResult:
    """A command of pytest, of files of the page; devlint is installed for this one."""
    for block in page("python"):
        assert block.file
        (pytester.path / block.file).write_text(block.text)
    program, *options = command.split()
    assert program == "pytest"
    return pytester.runpytest_inprocess("-p", "devlint.confirm.pytest_plugin", *options, *names)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def test_the_bug_shows_on_emulated_cuda_alone(pytester: pytest.Pytester) -> None:
    [shown] = page("console")
    command, _, lines = shown.text.partition("\n")
    run(pytester, "pytest", "test_model.py").assert_outcomes(passed=1)
    result = run(pytester, command.removeprefix("$ "), "test_model.py")
    result.assert_outcomes(failed=1)
    assert lines in result.stdout.str()


def test_the_bug_is_mended_as_it_says(pytester: pytest.Pytester) -> None:
    run(pytester, "pytest", "test_model.py")
    path = pytester.path / "model.py"
    mended = 'self.register_buffer("factors", torch.ones(size))'
    path.write_text(path.read_text().replace("self.factors = torch.ones(size)", mended))
    options = ("-p", "devlint.confirm.pytest_plugin", "--devlint-device", "emulated")
    pytester.runpytest_inprocess(*options, "test_model.py").assert_outcomes(passed=1)


def test_single_tests_run_as_shown(pytester: pytest.Pytester) -> None:
    result = run(pytester, "pytest", "test_fixture.py", "test_block.py")
    result.assert_outcomes(passed=5)


def test_the_workflow_runs_what_is_shown(pytester: pytest.Pytester) -> None:
    [workflow] = page("yaml")
    [job] = YAML(typ="safe").load(workflow.text)["jobs"].values()
    command = job["steps"][-1]["run"]
    for devices in job["strategy"]["matrix"]["devices"]:
        given = re.sub(r"\$\{\{ matrix\.devices \}\}", str(devices), command)
        result = run(pytester, given, "test_model.py")
        result.assert_outcomes(failed=1)
        assert f"emulated CUDA ({devices} device" in result.stdout.str()
