"""The extension for VS Code agrees with the server; tests/editors/vscode.py tries it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from devlint.server.client_settings import KEYS, OF_CLIENT
from devlint.server.code_lenses import CONFIRM, DRY_RUN
from devlint.server.requests import LINT_WORKSPACE
from tests.documents import ROOT

EXTENSION = ROOT / "editors/vscode"
#: In editors/vscode/src/options.ts.
HANDED = re.compile(r"export const KEYS = \[(.*?)\] as const", re.DOTALL)


def read(path: str | Path) -> str:
    return (EXTENSION / path).read_text(encoding="utf-8")


def manifest() -> Any:
    return json.loads(read("package.json"))


def settings() -> set[str]:
    """Those of the extension, without the name of the section."""
    known = manifest()["contributes"]["configuration"]["properties"]
    return {key.removeprefix("devlint.") for key in known}


def commands() -> set[str]:
    return {each["command"] for each in manifest()["contributes"]["commands"]}


def handed() -> set[str]:
    found = HANDED.search(read("src/options.ts"))
    assert found
    return set(re.findall(r'"(\w+)"', found[1]))


def test_the_server_heeds_what_it_is_handed() -> None:
    assert handed() <= KEYS
    assert {key.split(".")[0] for key in settings() - handed()} == OF_CLIENT


def test_lenses_call_commands_of_the_extension() -> None:
    assert {DRY_RUN, CONFIRM} <= commands()


def test_the_server_is_asked_for_a_command_that_it_has() -> None:
    assert f'"{LINT_WORKSPACE}"' in read("src/commands.ts")
    # The client would make a second one of this name, which VS Code refuses.
    assert LINT_WORKSPACE not in commands()


def test_versions_agree() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "(.+)"$', project, re.MULTILINE)
    assert found
    assert manifest()["version"] == json.loads(read("package-lock.json"))["version"] == found[1]
    assert f"## {found[1]}\n" in read("CHANGELOG.md")


def test_the_lock_file_names_no_registry() -> None:
    packages = json.loads(read("package-lock.json"))["packages"]
    assert not [name for name, each in packages.items() if "resolved" in each]
    assert all("integrity" in each for name, each in packages.items() if name)


def test_settings_and_commands_are_documented() -> None:
    text = read("README.md")
    assert [name for name in settings() if f"| `devlint.{name}` |" not in text] == []
    titles = {each["title"] for each in manifest()["contributes"]["commands"]}
    assert [title for title in titles if f"| {title} |" not in text] == []


def test_pictures_are_there_and_small() -> None:
    names = re.findall(r"!\[.+?\]\((images/.+?)\)", read("README.md"))
    assert names
    assert {f"images/{path.name}" for path in EXTENSION.glob("images/*")} == set(names)
    assert all((EXTENSION / name).stat().st_size < 150_000 for name in names)


def test_licences_are_the_same() -> None:
    assert read("LICENSE") == (ROOT / "LICENSE").read_text(encoding="utf-8")
