"""Standard input in the place of files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result

from tests.test_fixing import SAFE, TEXT, UNSAFE, devlint

BYTES = TEXT.encode()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def piped(*arguments: str, stdin: bytes = BYTES) -> Result:
    return devlint(*arguments, "-", stdin=stdin)


def test_findings_of_standard_input_are_reported() -> None:
    result = piped("--output-format", "concise")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("-:5:9: DEV203 ")


def test_name_is_shown_and_need_not_exist() -> None:
    result = piped("--stdin-filename", "src/train.py")
    assert result.stdout.startswith("src/train.py:5:9: DEV203 ")
    assert "5 |     y = torch.zeros(3)" in result.stdout
    assert os.listdir() == []


def test_lines_shown_are_those_of_standard_input() -> None:
    Path("a.py").write_text("\n" * 20)
    assert "5 |     y = torch.zeros(3)" in piped("--stdin-filename", "a.py").stdout


def test_clean_input_is_said_to_be_clean() -> None:
    result = piped(stdin=b"")
    assert (result.exit_code, result.stdout) == (0, "No device problems found in 1 file.\n")


def test_diff_goes_to_standard_output() -> None:
    result = piped("--diff", "--stdin-filename", "a.py")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- a.py\n+++ a.py\n")
    assert piped("--diff", stdin=SAFE.encode()).stdout == ""


def test_fixed_text_goes_to_standard_output_and_the_report_does_not() -> None:
    result = piped("--fix", "--output-format", "concise")
    assert (result.exit_code, result.stdout) == (1, SAFE)
    assert result.stderr.startswith("-:11:5: DEV401 ")
    result = piped("--fix", "--unsafe-fixes")
    assert (result.exit_code, result.stdout) == (0, UNSAFE)
    assert result.stderr == "Found 2 findings (2 fixed, 0 left).\n"


@pytest.mark.parametrize("option", ["--fix", "--fix-only"])
@pytest.mark.parametrize(
    "text", [b"", b"x = 1\r\n\x0c", b"\xef\xbb\xbfx = 1", SAFE.replace("\n", "\r").encode()]
)
def test_text_without_a_fix_passes_through(option: str, text: bytes) -> None:
    assert piped(option, stdin=text).stdout_bytes == text


@pytest.mark.parametrize("text", [b"import torch\nx.cuda(\n", b"x = '\xe9'\n", b"x = '\0'\n"])
def test_broken_text_passes_through_and_is_complained_of(text: bytes) -> None:
    result = piped("--fix", "--stdin-filename", "a.py", stdin=text)
    assert (result.exit_code, result.stdout_bytes) == (2, text)
    assert "error: a.py: cannot " in result.stderr
    assert piped("--diff", stdin=text).stdout_bytes == b""


def test_nothing_is_written(tmp_path: Path) -> None:
    Path("a.py").write_text(TEXT)
    piped("--fix", "--stdin-filename", "a.py")
    assert Path("a.py").read_text() == TEXT


def test_kind_is_that_of_the_name() -> None:
    notebook = (
        b'{"cells": [{"cell_type": "code", "source": ["import torch\\n", '
        b'"a = torch.ones(3, device=\'cuda\')\\n", "a + torch.ones(3)"]}]}'
    )
    result = piped("--output-format", "concise", "--stdin-filename", "nb.ipynb", stdin=notebook)
    assert result.stdout.startswith("nb.ipynb:cell 1:3:1: DEV201 ")


def test_name_that_is_left_out_passes_through() -> None:
    exclude = ("--exclude", "vendor", "--stdin-filename", "vendor/a.py")
    assert piped("--fix", *exclude).stdout == SAFE
    result = piped("--fix", "--force-exclude", *exclude)
    assert (result.exit_code, result.stdout, result.stderr) == (0, TEXT, "")
    assert piped("--diff", "--force-exclude", *exclude).stdout == ""
    result = piped("--force-exclude", *exclude)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_settings_are_those_of_the_name() -> None:
    Path("sub").mkdir()
    Path("sub/pyproject.toml").write_text('[tool.devlint]\nunfixable = ["DEV203"]\n')
    assert piped("--fix", "--stdin-filename", "sub/a.py").stdout == TEXT
    assert piped("--fix", "--stdin-filename", "a.py").stdout == SAFE


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-", "a.py"), "- is linted alone"),
        (("--stdin-filename", "a.py", "b.py"), "--stdin-filename needs -"),
    ],
)
def test_other_paths_are_an_error(arguments: tuple[str, ...], told: str) -> None:
    result = devlint(*arguments)
    assert result.exit_code == 2
    assert told in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="descriptors of POSIX")
def test_closed_input_is_one_line() -> None:
    command = f"exec '{sys.executable}' -m devlint --fix - <&-"
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "error: cannot read: standard input is closed\n"
