"""Comments that silence: options write them or read past them, fixes take them out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main

HEAD = "import torch\n\nweights = torch.ones(3, device='cuda')\nmask = torch.ones(3)\n"
QUIET = "  # devlint: ignore[DEV201]"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def devlint(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["a.py", *arguments])


def write(text: str) -> None:
    Path("a.py").write_text(text, encoding="utf-8")


def text() -> str:
    return Path("a.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("scaled = weights * mask\n", f"scaled = weights * mask{QUIET}\n"),
        ("scaled = weights * mask", f"scaled = weights * mask{QUIET}"),
        ("x = weights * mask  # why\n", f"x = weights * mask  # why{QUIET}\n"),
        ("x = weights * mask  # noqa: E501\n", f"x = weights * mask  # noqa: E501{QUIET}\n"),
        (
            "x = weights * mask  # devlint: ignore[DEV101, DEV901] old\n",
            "x = weights * mask  # devlint: ignore[DEV101, DEV901, DEV201] old\n",
        ),
        ("x = weights * \\\n    mask\n", f"x = weights * \\\n    mask{QUIET}\n"),
        (
            "x = (weights * mask,\n  '''a\nb''')\n",
            f"x = (weights * mask,{QUIET}\n  '''a\nb''')\n",
        ),
        (
            "x = '''{}\n'''.format(weights * mask)\n",
            f"x = '''{{}}\n'''.format(weights * mask){QUIET}\n",
        ),
    ],
)
def test_a_comment_is_written_where_it_can_stand(before: str, after: str) -> None:
    write(HEAD + before)
    result = devlint("--add-noqa")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Silenced 1 finding in 1 file.\n"
    assert text() == HEAD + after
    assert devlint().exit_code == 0


def test_findings_of_a_line_share_a_comment_with_the_reason() -> None:
    write(HEAD + "a = weights * mask; b = mask + weights; c = torch.save(weights, 'w.pt')\n")
    devlint("--add-noqa", "--reason", "see issue 7")
    assert text().endswith("'w.pt')  # devlint: ignore[DEV201, DEV401] see issue 7\n")
    assert devlint().exit_code == 0


def test_what_would_be_written_can_be_shown() -> None:
    write(HEAD + "scaled = weights * mask\n")
    result = devlint("--add-noqa", "--diff")
    assert result.exit_code == 1
    assert f"+scaled = weights * mask{QUIET}\n" in result.stdout
    assert result.stderr == "Would silence 1 finding in 1 file.\n"
    assert text() == HEAD + "scaled = weights * mask\n"


def test_a_line_that_bears_no_comment_is_said_to_stay() -> None:
    before = HEAD + "x = f'''{weights * mask}\n''' + \\\n    '''\n'''.join('')[\\\n0]\n"
    write(before)
    result = devlint("--add-noqa")
    assert text() == before or devlint().exit_code == 0
    assert "Silenced" in result.stderr


def test_what_a_baseline_knows_needs_no_comment() -> None:
    write(HEAD + "scaled = weights * mask\n")
    devlint("--write-baseline", "known.json")
    write(HEAD + "scaled = weights * mask\nagain = mask * weights\n")
    result = devlint("--add-noqa", "--baseline", "known.json")
    assert result.stderr == "Silenced 1 finding in 1 file.\n"
    assert text() == HEAD + f"scaled = weights * mask\nagain = mask * weights{QUIET}\n"


def test_comments_in_cells_of_a_notebook() -> None:
    cells = [HEAD, "%matplotlib inline\nweights * mask"]
    listed = [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]
    content = {"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("n.ipynb").write_text(json.dumps(content))
    CliRunner().invoke(main, ["n.ipynb", "--add-noqa"])
    source = json.loads(Path("n.ipynb").read_text())["cells"][1]["source"]
    assert source.split("\n")[1] == f"weights * mask{QUIET}"
    assert CliRunner().invoke(main, ["n.ipynb"]).exit_code == 0


def test_comments_can_be_ignored() -> None:
    write(f"{HEAD}scaled = weights * mask{QUIET}\n")
    assert devlint().exit_code == 0
    result = devlint("--ignore-noqa")
    assert result.exit_code == 1
    assert "DEV201" in result.stdout
    assert "DEV901" not in result.stdout
    write(f"# devlint: ignore-file\n{HEAD}scaled = weights * mask\n")
    assert devlint("--ignore-noqa").exit_code == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1  # devlint: ignore[DEV201]\n", "x = 1\n"),
        ("x = 1  # devlint: ignore[DEV201] it was\n", "x = 1\n"),
        ("x = 1  # devlint: ignore[DEV201]  # noqa: E501\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # why  # noqa: DEV201\n", "x = 1  # why\n"),
        ("x = 1  # noqa: E501, DEV201\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: DEV201, E501\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # devlint: ignore[DEV201, DEV101]\n", "x = 1\n"),
        ("x = 1  # devlint: ignore\n", "x = 1\n"),
        ("# devlint: ignore-file[DEV101]\nx = 1\n", "x = 1\n"),
        ("x = 1\n# devlint: ignore-file[DEV101]", "x = 1\n"),
        ("x = 1  # devlint: ignore[DEV2011]\n", "x = 1  # devlint: ignore[DEV2011]\n"),
    ],
)
def test_a_fix_takes_out_comments_that_silence_nothing(before: str, after: str) -> None:
    write(HEAD + before)
    devlint("--fix")
    assert text() == HEAD + after


def test_selectors_complete_in_a_shell() -> None:
    def completed(line: str) -> list[str]:
        words = {"COMP_WORDS": f"devlint {line}", "COMP_CWORD": str(len(line.split()))}
        environment = {**words, "_DEVLINT_COMPLETE": "bash_complete"}
        result = CliRunner().invoke(main, [], prog_name="devlint", env=environment)
        return [each.partition(",")[2] for each in result.stdout.splitlines()]

    assert "DEV201" in completed("check --select DEV20")
    assert "--select" in completed("--sel")
    assert "server" in completed("ser")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str) -> None:
    result = CliRunner().invoke(main, ["completion", shell])
    assert result.exit_code == 0
    assert "_DEVLINT_COMPLETE" in result.stdout
