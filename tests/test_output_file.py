"""`--output-file`: a report is written whole or not at all."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main

MIXED = """import torch

weights = torch.ones(3, device="cuda")
scaled = weights * torch.ones(3)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("größe.py").write_text(MIXED, encoding="utf-8")
    return tmp_path


def devlint(*arguments: str) -> Result:
    environment = {"FORCE_COLOR": "1"}
    return CliRunner().invoke(main, ["größe.py", *arguments], env=environment)


def test_report_goes_to_the_file_and_its_folder_is_made(folder: Path) -> None:
    result = devlint("--output-format=json", "--output-file=out/new/report.json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "1 finding written to out/new/report.json\n"
    [item] = json.loads(Path("out/new/report.json").read_text(encoding="utf-8"))
    assert item["code"] == "DEV201"
    assert [path.name for path in (folder / "out" / "new").iterdir()] == ["report.json"]


def test_only_findings_are_written_where_nothing_about_them_is_wanted() -> None:
    assert devlint("-q", "-o", "report.txt", "--output-format=concise").output == ""
    assert Path("report.txt").read_text(encoding="utf-8").count("\n") == 1


def test_report_in_a_file_has_no_colour() -> None:
    assert "\x1b" in devlint().stdout
    devlint("-o", "report.txt")
    assert Path("report.txt").read_text(encoding="utf-8").startswith("größe.py:4:10: DEV201")


def test_statistics_go_to_the_file_too() -> None:
    assert devlint("--statistics", "-o", "counts").output == ""
    assert Path("counts").read_text() == "1 DEV201 mixed-devices\n"


def test_older_report_is_replaced_and_keeps_its_mode_and_links() -> None:
    Path("old").write_text("x" * 9_999)
    os.chmod("old", 0o640)
    os.symlink("old", "link")
    devlint("-o", "link", "--output-format=concise")
    assert Path("link").is_symlink()
    assert Path("old").read_text().startswith("größe.py:4:10: DEV201")
    assert stat.S_IMODE(os.stat("old").st_mode) == 0o640


def test_new_report_has_the_mode_of_new_files() -> None:
    devlint("-o", "report")
    Path("other").touch()
    assert os.stat("report").st_mode == os.stat("other").st_mode


@pytest.mark.parametrize("path", [".", "größe.py/report"])
def test_what_cannot_be_written_is_one_line(path: str) -> None:
    result = devlint("-o", path)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"error: cannot write {path}: ")
    assert result.stderr.count("\n") == 1


def test_devices_and_pipes_are_written_to() -> None:
    command = [sys.executable, "-m", "devlint", "größe.py", "-o", "/dev/stdout", "--statistics"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "1 DEV201 mixed-devices\n"
