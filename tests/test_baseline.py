"""Baselines: what a project lives with stays quiet, and only that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main

PROGRAM = """import torch

weights = torch.ones(3, device="cuda")


def penalty(value):
    return value * 2


mask = torch.ones(3)
scaled = penalty(weights) * mask
again = weights * mask
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(PROGRAM)
    return tmp_path


def write(text: str, path: str = "a.py") -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def devlint(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def lines(*arguments: str) -> list[int]:
    """The lines of what is found with the baseline."""
    result = devlint(".", "--baseline", "known.json", "--output-format", "json", *arguments)
    return [each["line"] for each in json.loads(result.stdout)]


@pytest.fixture
def baseline() -> str:
    result = devlint(".", "--write-baseline", "known.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Wrote 2 findings to known.json.\n"
    return "known.json"


@pytest.mark.usefixtures("baseline")
def test_what_is_known_is_quiet() -> None:
    result = devlint(".", "--baseline", "known.json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "No new device problems found in 1 file.\n"
        "2 findings left out (in the baseline, or on unchanged lines).\n"
    )


def test_a_project_can_configure_it(baseline: str) -> None:
    Path("pyproject.toml").write_text(f'[tool.devlint]\nbaseline = "{baseline}"\n')
    assert devlint(".").exit_code == 0


@pytest.mark.usefixtures("baseline")
def test_moved_lines_do_not_come_back() -> None:
    blank = "\n" * 50
    write("".join(blank + line for line in PROGRAM.splitlines(keepends=True)))
    assert lines() == []


@pytest.mark.usefixtures("baseline")
def test_a_renamed_function_does_not_come_back() -> None:
    write(PROGRAM.replace("penalty", "regularised"))
    assert lines() == []


@pytest.mark.usefixtures("baseline")
def test_a_line_with_two_other_names_is_another() -> None:
    write(PROGRAM.replace("again = weights * mask", "summed = mask * weights"))
    assert lines() == [12]


@pytest.mark.usefixtures("baseline")
def test_a_renamed_file_does_not_come_back() -> None:
    Path("a.py").rename("b.py")
    assert lines() == []


@pytest.mark.usefixtures("baseline")
def test_reformatted_lines_do_not_come_back() -> None:
    write(PROGRAM.replace("penalty(weights) * mask", "penalty(weights)  *   mask"))
    assert lines() == []


@pytest.mark.usefixtures("baseline")
def test_what_is_new_is_reported() -> None:
    write(PROGRAM + "third = mask * weights\n")
    assert lines() == [13]
    write(PROGRAM + "again = weights * mask\n")
    assert len(lines()) == 1  # As many as are known are quiet.
    write(PROGRAM)
    write(PROGRAM, "sub/a.py")
    assert len(lines()) == 2


@pytest.mark.usefixtures("baseline")
def test_what_is_fixed_is_said_to_be_stale() -> None:
    write(PROGRAM.replace("again = weights * mask\n", ""))
    result = devlint(".", "--baseline", "known.json")
    assert result.exit_code == 0
    assert result.stderr == (
        "note: 1 finding of known.json is no more (DEV201 in a.py); "
        "`--write-baseline known.json` takes them out\n"
    )
    assert devlint(".", "--baseline", "known.json", "--select", "DEV1").stderr == ""


def test_writing_keeps_what_was_not_looked_at(baseline: str) -> None:
    write(PROGRAM, "sub/b.py")
    devlint("sub", "--write-baseline", baseline)
    assert [each["path"] for each in entries(baseline)] == ["a.py"] * 2 + ["sub/b.py"] * 2
    Path("a.py").unlink()
    devlint("sub", "--write-baseline", baseline)
    assert [each["path"] for each in entries(baseline)] == ["sub/b.py"] * 2


def entries(path: str) -> list[dict[str, str]]:
    return list(json.loads(Path(path).read_text())["findings"])


def test_fixes_leave_alone_what_is_known() -> None:
    model = (
        "import torch\nfrom torch import nn\n\ndevice = torch.device('cuda')\n"
        "model = nn.Sequential(nn.Linear(4, 4)).to(device)\nmodel.fc = nn.Linear(4, 2)\n"
        "model(torch.ones(2, 4, device=device))\n"
    )
    write(model)
    devlint(".", "--write-baseline", "known.json")
    more = model + "model.head = nn.Linear(2, 2)\nmodel.head(torch.ones(2, 2, device=device))\n"
    write(more)
    result = devlint(".", "--baseline", "known.json", "--fix")
    assert (result.exit_code, result.stderr) == (0, "")
    after = more.replace("nn.Linear(2, 2)\n", "nn.Linear(2, 2).to(device)\n")
    assert Path("a.py").read_text() == after


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"version": 9}', '{"version": 1}', "[" * 9999]
)
def test_a_file_that_is_no_baseline_is_an_error(content: str) -> None:
    write(content, "known.json")
    for option in ("--baseline", "--write-baseline"):
        result = devlint(".", option, "known.json")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("error: known.json is ")
        assert result.stderr.count("\n") == 1
    assert Path("known.json").read_text() == content


def test_a_missing_baseline_is_an_error_that_says_how_to_make_one() -> None:
    result = devlint(".", "--baseline", "gone.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no such file" in result.stderr
    assert "`--write-baseline gone.json` makes one" in result.stderr


def test_paths_of_a_baseline_in_another_folder_hold_in_another_checkout(tmp_path: Path) -> None:
    write(PROGRAM, "src/a.py")
    devlint("src", "--write-baseline", "ci/known.json")
    content = Path("ci/known.json").read_text()
    assert {each["path"] for each in json.loads(content)["findings"]} == {"../src/a.py"}
    absolute = content.replace("../src", str(tmp_path / "src"))
    Path("ci/known.json").write_text(absolute)
    assert devlint("src", "--baseline", "ci/known.json").exit_code == 0
