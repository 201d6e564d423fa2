"""Installed packages that are named are read as the project is, never imported or reported on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from devlint.cli import main

SITE = Path("env", "lib", f"python3.{sys.version_info.minor}", "site-packages")
LIBRARY = """import torch

open("imported", "w").close()


def weights():
    return torch.ones(3)


def moved():
    return weights().cuda() + weights()
"""
MAIN = """import torch
from parts import weights

x = torch.ones(3).cuda()
x + weights()
"""
FOLLOW = ("--follow-installed", "parts")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "env"))
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    write(project / "main.py", MAIN)
    write(project / "pyproject.toml", "")
    write(tmp_path / SITE / "parts" / "__init__.py", "from parts.inner import *\n")
    write(tmp_path / SITE / "parts" / "inner.py", LIBRARY)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def found(*arguments: str, warning: str = "") -> list[tuple[str, int]]:
    command = ("check", "--output-format", "json", *(arguments or (".",)))
    result = CliRunner().invoke(main, command)
    assert not Path("imported").exists()
    assert warning in result.stderr
    assert bool(warning) is ("warning" in result.stderr), result.stderr
    return [(each["path"], each["line"]) for each in json.loads(result.stdout)]


def test_installed_packages_are_out_of_view_unless_they_are_named() -> None:
    assert found(".") == []
    assert found(".", *FOLLOW) == [("main.py", 5)]


def test_no_import_is_followed_where_none_is() -> None:
    assert found(".", *FOLLOW, "--no-follow-imports") == []


def test_configuration_names_them(folder: Path) -> None:
    text = '[tool.devlint]\nfollow-installed = ["parts"]\n'
    write(folder / "project" / "pyproject.toml", text)
    assert found(".") == [("main.py", 5)]


def test_a_name_that_no_import_has_is_refused() -> None:
    result = CliRunner().invoke(main, ("check", ".", "--follow-installed", "a/b"))
    assert (result.exit_code, "a/b" in result.stderr) == (2, True)


@pytest.mark.parametrize("name", [".venv", "venv"])
def test_the_environment_of_a_project_is_known(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV")
    (folder / "env").rename(folder / "project" / name)
    assert found(".", *FOLLOW) == [("main.py", 5)]


def test_what_is_edited_in_place_is_found(folder: Path) -> None:
    source = folder / "a place"
    source.mkdir()
    (folder / SITE / "parts").rename(source / "parts")
    assert found(".", *FOLLOW, warning="cannot follow imports of parts") == []
    record = json.dumps({"url": source.as_uri(), "dir_info": {"editable": True}})
    write(folder / SITE / "parts-1.dist-info" / "direct_url.json", record)
    assert found(".", *FOLLOW) == [("main.py", 5)]
    write(folder / SITE / "parts-1.dist-info" / "direct_url.json", "[]")
    write(folder / SITE / "parts.pth", f"import something\n{source}\n")
    assert found(".", *FOLLOW) == [("main.py", 5)]


def test_what_a_package_imports_is_not_followed_unasked(folder: Path) -> None:
    write(folder / SITE / "parts" / "inner.py", "from deeper import weights\n")
    write(folder / SITE / "deeper.py", LIBRARY)
    assert found(".", *FOLLOW) == []
    assert found(".", *FOLLOW, "--follow-installed", "deeper") == [("main.py", 5)]


def test_a_project_comes_before_what_is_installed(folder: Path) -> None:
    write(folder / "project" / "parts.py", "import torch\n\n\ndef weights():\n    return 1\n")
    assert found(".", *FOLLOW) == []


def test_what_devlint_knows_of_a_library_comes_first(folder: Path) -> None:
    write(folder / SITE / "torch" / "__init__.py", "def ones(*size):\n    return 1\n")
    assert found(".", *FOLLOW, "--follow-installed", "torch") == [("main.py", 5)]


def test_another_version_is_looked_at_anew(folder: Path) -> None:
    assert [found(".", *FOLLOW) for _ in range(2)] == [[("main.py", 5)]] * 2
    inner = folder / SITE / "parts" / "inner.py"
    write(inner, LIBRARY.replace("torch.ones(3)", 'torch.ones(3, device="cuda")'))
    assert found(".", *FOLLOW) == []


def test_another_environment_is_looked_at_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(".", *FOLLOW) == [("main.py", 5)]
    monkeypatch.setenv("VIRTUAL_ENV", str(folder / "none"))
    assert found(".", *FOLLOW, warning="parts") == []


def test_explanations_go_through_them(folder: Path) -> None:
    text = '[tool.devlint]\nfollow-installed = ["parts"]\n'
    write(folder / "project" / "pyproject.toml", text)
    result = CliRunner().invoke(main, ("explain", "main.py:5:5"))
    assert "inner.py:7" in result.stdout
