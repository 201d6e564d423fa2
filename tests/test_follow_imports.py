"""Runs over folders and single files follow imports; each finding stands in its own file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from devlint.cli import main
from devlint.project.files import LARGEST, Disk
from devlint.project.imports import imports
from devlint.project.modules import Module, Modules
from devlint.project.order import users_first, uses
from devlint.project.project import Project, Recent
from devlint.rule.self_reports import UnusedSuppression

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x)


def shifted(x):
    return x - torch.ones(3)
"""
MAIN = """\
import torch
from model import Net, shifted

net = Net(); net.fc.cuda()
net(torch.ones(3))
shifted(torch.ones(3).cuda())
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(**{"model.py": MODEL, "main.py": MAIN, "pyproject.toml": ""})
    return tmp_path


def write(**files: str) -> None:
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)


def found(*arguments: str) -> list[tuple[str, int, str]]:
    result = CliRunner().invoke(main, ["--output-format", "json", *arguments])
    assert result.exit_code in (0, 1), result.output
    findings = json.loads(result.stdout)
    return [(each["path"], each["line"], each["code"]) for each in findings]


def test_what_does_not_mention_torch_need_not_parse() -> None:
    before = found(".")
    write(**{"notes.py": "from model import Net\n\nfolder = Path('x') / WC-____-\nrun(folder\n"})
    assert found(".") == before


def test_a_folder_is_one_project() -> None:
    assert found(".") == [("main.py", 5, "DEV202"), ("model.py", 15, "DEV201")]


def test_a_folder_is_imported_from_by_its_name(folder: Path) -> None:
    Path("pyproject.toml").unlink()
    write(**{"lab/net/model.py": MODEL, "lab/torch/extra.py": ""})
    write(**{"lab/main.py": MAIN.replace("from model", "from lab.net.model")})
    assert ("lab/main.py", 5, "DEV202") in found("lab")
    modules, importer = Modules(Disk()), Module(str(folder / "lab/torch/run.py"))
    assert modules.find("torch.nn", importer) is None
    assert modules.find("torch", importer) is None  # Of the folder alone, nothing is told.


def test_imports_need_not_be_followed() -> None:
    assert found("--no-follow-imports", ".") == []
    assert found("--config", "follow-imports = false", ".") == []


def test_only_files_that_are_named_are_reported() -> None:
    assert found("main.py") == [("main.py", 5, "DEV202")]
    assert found("model.py") == []


def test_a_file_from_stdin_is_part_of_its_project() -> None:
    arguments = ["check", "--output-format", "concise", "--stdin-filename", "main.py", "-"]
    result = CliRunner().invoke(main, arguments, input=MAIN)
    assert "main.py:5:1: DEV202" in result.output


def test_comments_silence_in_the_file_that_they_are_in() -> None:
    write(**{"model.py": MODEL.replace("torch.ones(3)", "torch.ones(3)  # noqa: DEV201")})
    assert found(".") == [("main.py", 5, "DEV202")]
    # Nobody has shown that the comment is of no use.
    assert found("--extend-select", UnusedSuppression.code, ".") == [("main.py", 5, "DEV202")]


def test_notebooks_import_modules_of_their_folder() -> None:
    cell = {"cell_type": "code", "source": MAIN, "metadata": {}, "outputs": []}
    write(**{"main.py": "", "nb.ipynb": json.dumps({"cells": [cell], "nbformat": 4})})
    assert ("nb.ipynb", 5, "DEV202") in found(".")
    assert ("model.py", 15, "DEV201") in found(".")


@pytest.mark.parametrize("text", ["def broken(:\n", "x = '\x00'\n", "# coding: nonsense\n"])
def test_what_cannot_be_read_is_out_of_view(text: str) -> None:
    write(**{"model.py": text})
    result = CliRunner().invoke(main, ["check", "--output-format", "json", "main.py"])
    assert result.output == "[]\n"
    assert result.exit_code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_pipes_and_huge_files_are_not_read(folder: Path) -> None:
    Path("model.py").unlink()
    os.mkfifo("model.py")
    assert found("main.py") == []
    Path("model.py").unlink()
    with Path("model.py").open("wb") as file:
        file.truncate(LARGEST + 1)
    assert found("main.py") == []


def test_what_files_in_a_circle_show_of_each_other_is_reported() -> None:
    one = "import torch\nimport two\n\n\ndef f(x):\n    return x - torch.ones(3)\n\n\ntwo.work()\n"
    two = "import torch\nimport one\n\n\ndef work():\n    one.f(torch.ones(3).cuda())\n"
    write(**{"model.py": "", "main.py": "", "one.py": one, "two.py": two})
    assert found(".") == [("one.py", 6, "DEV201")]


def test_imports_are_read_off_the_text() -> None:
    text = "import a.b as c, d\nfrom .e import (f as g,\n    h)\nif x:\n    from i import j  # k\n"
    assert list(imports(text)) == [
        (".e", "f"),
        (".e", "h"),
        ("i", "j"),
        ("a.b", ""),
        ("d", ""),
    ]


def test_users_come_before_what_they_use(folder: Path) -> None:
    names = ("low.py", "high.py", "top.py")
    write(**{"low.py": "", "high.py": "import low\n", "top.py": "import high, low\n"})
    modules = [Module(str(folder / name)) for name in names]
    order = users_first(uses(Project(Disk()), modules))
    assert [Path(each.path).name for each in order] == ["top.py", "high.py", "low.py"]


def test_a_search_ends_at_the_project(folder: Path) -> None:
    write(**{"inner/pyproject.toml": "", "inner/pkg/__init__.py": "", "inner/pkg/run.py": ""})
    modules = Modules(Disk())
    importer = Module(str(folder / "inner/pkg/run.py"))
    assert modules.find("pkg.run", importer) is None  # Nothing imports itself.
    assert modules.find("pkg", importer) == Module(str(folder / "inner/pkg/__init__.py"))
    Path("pyproject.toml").unlink()
    assert modules.find("model", Module(str(folder / "inner/pkg/run.py"))) is None


def test_what_was_asked_for_last_is_kept() -> None:
    recent, asked = Recent[str](5), list[str]()

    def get(path: str, length: int) -> str | None:
        def found() -> tuple[str, int]:
            asked.append(path)
            return path, length

        return recent.get(Module(path), found)

    assert [get("a", 2), get("b", 3), get("a", 2), get("c", 2)] == ["a", "b", "a", "c"]
    assert asked == ["a", "b", "c"]
    assert [get("a", 2), get("b", 3)] == ["a", "b"]
    assert asked == ["a", "b", "c", "b"]
    assert recent.dropped == len("bbb") + len("cc")
