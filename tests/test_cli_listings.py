"""What the command says of its rules and options, and what it leaves unsaid when asked to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main
from devlint.rule.registry import every_rule
from devlint.settings.option import options

BAD = 'import torch\n\ntorch.ones(3, device="cuda") + torch.ones(3)\n'
FOUND = "bad.py:3:1: DEV201 error"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(BAD)
    return tmp_path


def devlint(line: str, **environment: str) -> Result:
    return CliRunner().invoke(main, line.split(), env=environment)


def test_rules_are_listed() -> None:
    lines = devlint("rules").stdout.splitlines()
    assert [each.split()[0] for each in lines] == [each.code for each in every_rule()]
    assert [each for each in lines if each.startswith("DEV8") and "(opt-in)" not in each] == []
    chosen = devlint("rules DEV1,mixed-devices").stdout.splitlines()
    assert {each[:4] for each in chosen[:-1]} == {"DEV1"}
    assert chosen[-1].split()[:3] == ["DEV201", "mixed-devices", "error"]


def test_rules_are_listed_for_programs() -> None:
    [told] = json.loads(devlint("rules --output-format json DEV201").stdout)
    assert (told["name"], told["severity"], told["is_default"]) == ("mixed-devices", "error", True)
    assert "## Why is this bad?" in told["explanation"]
    assert json.loads(devlint("rule DEV201 --output-format json").stdout) == [told]


def test_the_start_of_codes_lists_their_rules() -> None:
    assert devlint("rule DEV1").stdout == devlint("rules DEV1").stdout
    assert devlint("rule DEV101").stdout.startswith("# DEV101 submodule-after-move\n")


@pytest.mark.parametrize("line", ["rule DEV20x", "rules DEV20x"])
def test_a_rule_that_is_not_there_is_an_error(line: str) -> None:
    result = devlint(line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: unknown rule 'DEV20x'; did you mean DEV20")


def test_keys_are_listed_and_explained() -> None:
    listed = devlint("config").stdout.splitlines()
    assert [each.split()[0] for each in listed] == [each.key for each in options().values()]
    told = devlint("config output_format").stdout
    assert "Takes: one of full, concise" in told
    assert 'Default: "full"' in told
    assert "--output-format; in the environment: DEVLINT_OUTPUT_FORMAT" in told
    assert "environment" not in devlint("config device-names").stdout
    assert devlint("config confidenc").stderr.endswith("did you mean confidence?\n")


def test_keys_complete() -> None:
    environment = {"_DEVLINT_COMPLETE": "bash_complete", "COMP_WORDS": "devlint config con"}
    result = CliRunner().invoke(
        main, prog_name="devlint", env={**environment, "COMP_CWORD": "2"}, catch_exceptions=False
    )
    assert result.stdout.split() == ["plain,confidence"]


@pytest.mark.parametrize("word", ["chekc", "rul", "cofig"])
def test_a_mistyped_command_is_no_missing_file(word: str) -> None:
    result = devlint(f"{word} bad.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"'{word}' is neither a file nor a command; did you mean" in result.stderr
    Path(word).write_text(BAD)
    assert devlint(f"{word} --no-cache").exit_code == 1


def test_quiet_is_findings_alone() -> None:
    for output_format in ("full", "grouped"):
        loud = devlint(f"bad.py --output-format {output_format}").stdout
        quiet = devlint(f"bad.py -q --output-format {output_format}")
        assert (quiet.exit_code, quiet.stderr) == (1, "")
        assert "Found 1 finding" in loud
        assert loud.startswith(quiet.stdout)
        assert "DEV201" in quiet.stdout
        assert "Found" not in quiet.stdout


def test_silent_is_the_exit_code_and_what_could_not_be_done() -> None:
    assert devlint("bad.py -s").output == ""
    assert devlint("bad.py -s").exit_code == 1
    result = devlint("bad.py none.py --silent")
    assert (result.exit_code, result.output) == (2, "error: none.py: no such file or directory\n")


def test_colour_is_as_the_user_says() -> None:
    painted = "\x1b["
    assert painted in devlint("bad.py --color always", NO_COLOR="1").stdout
    assert painted not in devlint("bad.py --color never", FORCE_COLOR="1").stdout
    assert painted not in devlint("bad.py --color auto").stdout
    assert painted in devlint("bad.py", DEVLINT_COLOR="always").stdout


def test_rules_are_ignored_in_some_files() -> None:
    Path("other.py").write_text(BAD)
    result = devlint("-q --per-file-ignores b*.py:DEV101,DEV2 --output-format concise .")
    assert result.stdout.startswith("other.py:3:1: DEV201")
    assert len(result.stdout.splitlines()) == 1
    line = "bad.py --per-file-ignores b*.py:DEV1 --per-file-ignores b*.py:mixed-devices"
    assert devlint(line).exit_code == 0
    assert "is not of the form GLOB:RULES" in devlint("bad.py --per-file-ignores DEV2").stderr


def test_what_the_environment_says_counts_unless_the_command_line_does() -> None:
    assert devlint("bad.py", DEVLINT_OUTPUT_FORMAT="concise").stdout.startswith(FOUND)
    both = devlint("bad.py --output-format json", DEVLINT_OUTPUT_FORMAT="concise")
    assert json.loads(both.stdout)[0]["code"] == "DEV201"
    assert devlint("bad.py", DEVLINT_IGNORE="DEV1,DEV201").exit_code == 0
    assert devlint("bad.py", DEVLINT_PER_FILE_IGNORES="b*:DEV201").exit_code == 0
    Path("devlint.toml").write_text('output-format = "grouped"\n')
    assert devlint("bad.py", DEVLINT_OUTPUT_FORMAT="concise").stdout.startswith(FOUND)
    assert not Path(".devlint_cache").exists() or devlint("clean").exit_code == 0
    assert devlint("bad.py", DEVLINT_CACHE="0").exit_code == 1
    assert not Path(".devlint_cache").exists()
    wrong = devlint("bad.py", DEVLINT_CONFIDENCE="sure")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
