"""The JSON Schema of configuration files, and `--show-settings`, agree with the reader."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from devlint.cli import main
from devlint.settings import Configuration, ConfigurationError
from devlint.settings.file import parsed
from devlint.settings.schema import schema

GOOD = """
extend = "base.toml"
select = ["DEV1", "mixed-devices"]
per-file-ignores = { "tests/" = ["DEV4"], "!src/" = ["ALL"] }
severity = { DEV2 = "note", mixed-devices = "error" }
fail-level = "warning"
unsafe-fixes = true
exclude = ["a", "/b/**"]
output-format = "sarif"
baseline = "known.json"
device-names = ["npux"]
moves = ["mylib.to_device"]
required-version = ">=0.1"
"""
BAD = (
    *('selct = ["DEV1"]', "extend_select = []", 'select = "DEV1"', "select = [1]", 'select = [""]'),
    *("unsafe-fixes = 1", "output-format = true", 'fail-level = "warnig"', "baseline = 1"),
    *('severity = {DEV1 = "bad"}', 'severity = "note"', 'per-file-ignores = ["a"]'),
    *('per-file-ignores = {"a" = "DEV1"}', "extend = 1", 'moves = ["to device"]'),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def is_valid(table: Any) -> bool:
    return jsonschema.Draft7Validator(schema()).is_valid(table)


def test_schema_is_one() -> None:
    jsonschema.Draft7Validator.check_schema(schema())


def test_schema_takes_what_is_read(folder: Path) -> None:
    assert is_valid(parsed(GOOD))
    (folder / "base.toml").touch()
    (folder / "devlint.toml").write_text(GOOD)
    assert Configuration().overall.fail_level == "warning"


@pytest.mark.parametrize("text", BAD)
def test_schema_refuses_what_is_refused(folder: Path, text: str) -> None:
    assert not is_valid(parsed(text))
    (folder / "devlint.toml").write_text(text)
    configuration = Configuration()
    with pytest.raises(ConfigurationError):
        _ = configuration.overall


def test_schema_takes_the_defaults_it_states() -> None:
    properties = schema()["properties"]
    assert is_valid({key: each["default"] for key, each in properties.items() if "default" in each})


@pytest.mark.parametrize(("text", "code"), [(GOOD, 0), *((text, 1) for text in BAD[:3])])
def test_validator_of_projects_agrees(folder: Path, text: str, code: int) -> None:
    (folder / "devlint.schema.json").write_text(json.dumps(schema()))
    (folder / "pyproject.toml").write_text(f"[tool.devlint]\n{text}\n")
    command = [sys.executable, "-m", "validate_pyproject", "--disable-plugins", "devlint"]
    command += ["--tool", "devlint=devlint.schema.json", "pyproject.toml"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr


def test_shown_settings_can_be_read_again(folder: Path) -> None:
    (folder / "base.toml").write_text("show-fixes = true")
    (folder / "devlint.toml").write_text(GOOD)
    shown = CliRunner().invoke(main, ["check", "--show-settings", "."]).stdout
    assert shown.splitlines()[0].endswith(": base.toml, then devlint.toml")
    assert is_valid(parsed(shown))
    (folder / "again.toml").write_text(shown)
    again = Configuration(config=("again.toml",)).overall
    assert again.severity == Configuration().overall.severity
    assert again.per_file_ignores == Configuration().overall.per_file_ignores
    assert again.moves == ("mylib.to_device",)


def test_shown_settings_name_what_says_so_and_the_rules_that_run(folder: Path) -> None:
    (folder / "devlint.toml").write_text(
        'select = ["DEV4"]\nper-file-ignores = {"b.py" = ["DEV401"]}'
    )
    arguments = ["check", "--show-settings", "--ignore", "DEV402", "a.py", "b.py"]
    lines = CliRunner().invoke(main, arguments).stdout.splitlines()
    first, second = (i for i, line in enumerate(lines) if line.startswith("# ") and "toml" in line)
    assert lines[first] == "# a.py: devlint.toml, then the command line"
    assert 'ignore = ["DEV402"]' in lines
    assert lines[second - 1].startswith("# The rules that run: DEV401, DEV403")
    assert lines[-1].startswith("# The rules that run: DEV403")


def test_shown_settings_of_nothing_are_the_defaults() -> None:
    lines = CliRunner().invoke(main, ["check", "--show-settings", "a.py"]).stdout.splitlines()
    assert lines[0] == "# a.py: the defaults"
    assert 'fail-level = "perf"' in lines


def test_shown_files_are_those_that_would_be_checked(folder: Path) -> None:
    for name in ("b.py", "a.py", "c.txt"):
        (folder / name).touch()
    (folder / "devlint.toml").write_text('exclude = ["b.py"]')
    done = CliRunner().invoke(main, ["check", "--show-files", "."])
    assert (done.exit_code, done.stdout, done.stderr) == (0, "a.py\n", "")
    done = CliRunner().invoke(main, ["check", "--show-files", "gone.py", "a.py"])
    assert (done.exit_code, done.stdout) == (2, "a.py\n")
    assert done.stderr == "error: gone.py: no such file or directory\n"


def test_schema_is_written_by_the_command() -> None:
    assert json.loads(CliRunner().invoke(main, ["schema"]).stdout) == schema()
