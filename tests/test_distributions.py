"""What a release consists of: the sdist has all of the repository, the wheel what is imported."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import ROOT

pytest.importorskip("hatchling")

BUILD = """
import os, sys
from hatchling.build import build_sdist, build_wheel
made = sys.argv[1]
print(os.path.join(made, build_sdist(made)), os.path.join(made, build_wheel(made)), sep="\\n")
"""
#: What is imported, by where it is in the repository.
PACKAGES = {"devlint": "devlint/", "devlint_rules": "rules/devlint_rules/"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The sdist and the wheel."""
    folder = str(tmp_path_factory.mktemp("dist"))
    command = [sys.executable, "-c", BUILD, folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-2:]


@pytest.fixture(scope="module")
def tracked() -> set[str]:
    """The files of the repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in done.stdout.split("\0") if name and (ROOT / name).exists()}


def test_the_sdist_is_the_repository(made: list[str], tracked: set[str]) -> None:
    with tarfile.open(made[0]) as sdist:
        names = {each.name.partition("/")[2] for each in sdist if each.isfile()}
    assert names == tracked | {"PKG-INFO"}


def test_the_wheel_has_the_packages_and_nothing_else(made: list[str], tracked: set[str]) -> None:
    with zipfile.ZipFile(made[1]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == set(imported(tracked))
    assert {"devlint/py.typed", "devlint_rules/py.typed"} <= names


def imported(tracked: set[str]) -> Iterator[str]:
    for package, folder in PACKAGES.items():
        inside = (name.removeprefix(folder) for name in tracked if name.startswith(folder))
        yield from (f"{package}/{name}" for name in inside)


def test_the_wheel_says_what_it_is(made: list[str]) -> None:
    with zipfile.ZipFile(made[1]) as wheel:
        told = {
            Path(name).name: wheel.read(name).decode()
            for name in wheel.namelist()
            if ".dist-info/" in name
        }
    assert "devlint = devlint.cli:main" in told["entry_points.txt"]
    assert "builtin = devlint_rules" in told["entry_points.txt"]
    assert "MIT" in told["LICENSE"]
    assert "License-Expression: MIT" in told["METADATA"]
    version = Path(made[1]).name.split("-")[1]
    assert f"\nVersion: {version}\n" in told["METADATA"]
