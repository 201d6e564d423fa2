"""`--diff-base`: only what lies on lines that changed since a revision."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main

HEAD = "import torch\n\nweights = torch.ones(3, device='cuda')\nmask = torch.ones(3)\n"
OLD = HEAD + "scaled = weights * mask\n"


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    write(OLD)
    write(OLD, "untouched.py")
    commit()
    return tmp_path


def git(*arguments: str) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def commit() -> None:
    git("add", ".")
    git("commit", "-q", "-m", "x")


def write(text: str, path: str = "a.py") -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def devlint(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def found(*arguments: str) -> list[tuple[str, int]]:
    result = devlint("--diff-base", "HEAD", "--output-format", "json", *(arguments or (".",)))
    assert result.stderr == ""
    return [(each["path"], each["line"]) for each in json.loads(result.stdout)]


def test_nothing_is_reported_where_nothing_changed() -> None:
    assert found() == []
    told = devlint("--diff-base", "HEAD", ".").stdout
    assert told == "No new device problems found in 2 files.\n"


def test_what_a_line_that_was_taken_out_has_prevented_is_reported() -> None:
    head, *rest = OLD.splitlines(keepends=True)
    middle = "# between\n"
    write(head + "".join(rest[:-1]) + "mask = mask.cuda()\n" + middle + rest[-1])
    commit()
    assert found() == []
    write(head + "".join(rest[:-1]) + middle + rest[-1])
    assert [path for path, _ in found()] == ["a.py"]
    commit()
    write(head + "".join(rest[:-1]) + middle + rest[-1] + "print(1)\n")
    assert found() == []


def test_changed_lines_are_reported_and_others_are_not() -> None:
    write("# more\n" + OLD + "again = weights * mask\n")
    assert found() == [("a.py", 7)]


def test_a_change_of_a_related_place_is_one_of_the_finding() -> None:
    write(OLD.replace("mask = torch.ones(3)", "mask = torch.zeros(3)"))
    assert found() == [("a.py", 5)]


def test_new_files_are_reported_and_renamed_ones_are_compared() -> None:
    write(OLD, "new.py")
    git("mv", "a.py", "b.py")
    write(OLD + "again = weights * mask\n", "b.py")
    assert found() == [("b.py", 6), ("new.py", 5)]


def test_it_works_from_a_folder_below_and_on_revisions_of_any_kind() -> None:
    write(OLD + "again = weights * mask\n", "sub dir/ä.py")
    commit()
    result = devlint("--diff-base", "HEAD~1", "--output-format", "concise", "sub dir")
    assert result.stdout.startswith("sub dir/ä.py:5:")
    assert found() == []


def test_the_cells_of_a_notebook_have_their_lines() -> None:
    def notebook(*cells: str) -> str:
        listed = [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]
        return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    write(notebook(HEAD, "scaled = weights * mask"), "n.ipynb")
    commit()
    write(notebook("# more", HEAD, "scaled = weights * mask", "y = mask * weights"), "n.ipynb")
    assert found() == [("n.ipynb", 1)]


def test_fixes_are_for_what_is_reported() -> None:
    model = (
        "import torch\nfrom torch import nn\n\ndevice = torch.device('cuda')\n"
        "model = nn.Sequential(nn.Linear(4, 4)).to(device)\nmodel.fc = nn.Linear(4, 2)\n"
        "model(torch.ones(2, 4, device=device))\n"
    )
    write(model)
    commit()
    more = model + "model.head = nn.Linear(2, 2)\nmodel.head(torch.ones(2, 2, device=device))\n"
    write(more)
    devlint("--diff-base", "HEAD", "--fix", ".")
    after = more.replace("nn.Linear(2, 2)\n", "nn.Linear(2, 2).to(device)\n")
    assert Path("a.py").read_text() == after


def test_an_unknown_revision_is_an_error() -> None:
    for revision in ("nowhere", "--help"):
        result = devlint("--diff-base", revision, ".")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"error: git knows no revision {revision!r}\n"


def test_without_a_repository_it_is_an_error(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("bare"))
    write(OLD)
    result = devlint("--diff-base", "HEAD", ".")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --diff-base needs a git repository: ")


def test_a_shallow_clone_is_said_to_be_one(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(OLD + "x = 1\n")
    commit()
    git("clone", "-q", "--depth", "1", repository.as_uri(), "clone")
    monkeypatch.chdir("clone")
    hint = "; this clone is shallow: `git fetch --unshallow` brings the rest"
    result = devlint(".", "--diff-base", "HEAD~1")
    assert result.stderr == f"error: git knows no revision 'HEAD~1'{hint}\n"
