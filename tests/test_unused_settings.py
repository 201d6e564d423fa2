"""What somebody has configured, and nothing reads, is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("import torch\n")


def devlint(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(main, arguments, env=environment)


@pytest.mark.parametrize("table", ["devlnit", "dev-lint", "Devlint"])
def test_a_table_that_is_nearly_ours_gets_a_warning(table: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.{table}]\n[tool.{table}.severity]\nDEV2 = 'note'\n")
    ran = devlint("a.py")
    assert (ran.exit_code, ran.stderr) == (
        0,
        f"warning: pyproject.toml: the table [tool.{table}] is not read; did you mean "
        "[tool.devlint]?\n",
    )
    assert devlint("--isolated", "a.py").stderr == ""


@pytest.mark.parametrize("text", ["[tool.djlint]\nx = 1\n", "[tool.pylint.main]\n", "[tool]\n"])
def test_tables_of_other_tools_get_none(text: str) -> None:
    Path("pyproject.toml").write_text(text)
    assert devlint("a.py").stderr == ""


def test_a_variable_that_is_nearly_ours_gets_a_warning() -> None:
    told = devlint("a.py", DEVLINT_OUTPUTFORMAT="json", DEVLINT_PATHS="a.py").stderr
    assert told == (
        "warning: the environment variable DEVLINT_OUTPUTFORMAT is not read; did you mean "
        "DEVLINT_OUTPUT_FORMAT?\n"
    )


def test_globs_that_match_nothing_are_named_on_request() -> None:
    Path("devlint.toml").write_text(
        'per-file-ignores = { "gone/" = ["DEV1"], "a*" = ["DEV1"], "!b.py" = ["DEV2"] }\n'
    )
    assert devlint(".").stderr == ""
    *_, gone, other = devlint("-v", ".").stderr.splitlines()
    assert gone == "note: per-file-ignores: none of the files checked matches 'gone/'"
    assert other == "note: per-file-ignores: none of the files checked matches '!b.py'"


@pytest.mark.parametrize("variable", ["DEVLINT_JOBS", "DEVLINT_CONFIDENCE"])
def test_an_error_names_the_variable_that_it_came_from(variable: str) -> None:
    ran = devlint("a.py", **{variable: "0.5"})
    assert ran.exit_code == 2
    assert f"Invalid value for the environment variable {variable}: '0.5' is not" in ran.stderr


def test_an_error_names_the_option_that_it_came_from() -> None:
    ran = devlint("--jobs", "many", "a.py", DEVLINT_JOBS="2")
    assert "Invalid value for '--jobs': 'many' is not a valid whole number" in ran.stderr


def test_a_mistyped_group_of_rules_is_suggested() -> None:
    assert "unknown rule 'DVE4'; did you mean DEV4 " in devlint("--select", "DVE4", "a.py").stderr
