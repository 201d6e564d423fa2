"""What the documents show can be done: commands are known, configurations are as schemas want."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from devlint.cli import main
from devlint.settings.file import parsed as parsed_toml
from devlint.settings.layer import Layer
from tests.documents import ROOT, Block, arguments, blocks

SHELLS = blocks("sh", "console", "yaml", "groovy")
YAMLS = blocks("yaml")
#: Documents with settings of other programs alone.
OF_OTHERS = ("docs/editors.md", "docs/linters.md")
OWN_SETTINGS = [block for block in blocks("toml") if block.document not in OF_OTHERS]


def conforms(path: Path, schema: str) -> subprocess.CompletedProcess[str]:
    # The schema of Azure has patterns that Unicode mode refuses.
    options = ["--regex-variant", "nonunicode", "--builtin-schema", schema]
    command = [sys.executable, "-m", "check_jsonschema", *options, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def parsed(block: Block) -> Any:
    return YAML(typ="safe").load(block.text)


def test_there_are_commands_to_look_at() -> None:
    assert len([command for block in SHELLS for command in block.commands()]) > 5
    assert arguments("devlint check 'a b' # why") == ["check", "a b"]
    assert arguments("devlint - < a.py > b.py") == ["-"]


@pytest.mark.parametrize("block", SHELLS, ids=str)
def test_commands_are_understood(block: Block) -> None:
    for words in block.commands():
        if words[0] in ("--version", "--help"):
            continue
        if known := command(words[0]):
            known.make_context(words[0], words[1:])
        else:
            command("check").make_context("check", words)


def command(name: str) -> Any:
    return main.get_command(click.Context(main), name)


def test_command_that_is_not_understood_would_be_noticed() -> None:
    with pytest.raises(click.NoSuchOption):
        command("check").make_context("check", ["--frobnicate"])


@pytest.mark.parametrize("block", [each for each in YAMLS if each.schema], ids=str)
def test_configuration_is_as_its_schema_wants(block: Block, tmp_path: Path) -> None:
    assert block.schema
    path = tmp_path / "shown.yml"
    path.write_text(block.text)
    done = conforms(path, block.schema)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("vendor.github-actions", "name: devlint\ndescription: x\nruns: {using: composit}\n"),
        ("vendor.github-workflows", "on: push\njobs: {a: {steps: []}}\n"),
        ("vendor.gitlab-ci", "devlint: {scripts: [devlint]}\n"),
        ("vendor.azure-pipelines", "steps: [{scrip: devlint}]\n"),
    ],
)
def test_what_a_schema_forbids_would_be_noticed(schema: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "shown.yml"
    path.write_text(text)
    done = conforms(path, schema)
    assert (done.returncode, done.stderr) == (1, "")
    assert "Schema validation errors" in done.stdout


def test_schema_of_github_allows_the_action() -> None:
    done = conforms(ROOT / "action.yml", "vendor.github-actions")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_programs_are_python(block: Block) -> None:
    assert ast.parse(block.text).body


@pytest.mark.parametrize("block", OWN_SETTINGS, ids=str)
def test_settings_are_those_that_there_are(block: Block) -> None:
    shown = parsed_toml(block.text)
    table = shown["tool"]["devlint"] if "tool" in shown else shown
    assert Layer.of(str(block), table, "").values


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_settings_of_editors_are_json(block: Block) -> None:
    text = block.text if block.text.startswith("{") else f"{{{block.text}}}"
    assert json.loads(text)


@pytest.mark.parametrize(("settings", "left"), [("", 1), ("shown", 0)])
def test_ruff_leaves_codes_of_devlint_as_the_setting_says(
    settings: str, left: int, tmp_path: Path
) -> None:
    [block] = [each for each in blocks("toml") if each.document == "docs/linters.md"]
    (tmp_path / "pyproject.toml").write_text(block.text if settings else "")
    (tmp_path / "train.py").write_text("print(1)  # noqa: DEV401\n")
    options = ["--preview", "--no-cache", "--select", "RUF102", str(tmp_path)]
    command = [sys.executable, "-m", "ruff", "check", *options]
    assert subprocess.run(command, capture_output=True, check=False).returncode == left


def test_hooks_and_inputs_that_are_shown_exist() -> None:
    hooks = {hook["id"] for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")}
    inputs = YAML(typ="safe").load(ROOT / "action.yml")["inputs"].keys()
    shown: set[str] = set()
    for document in map(parsed, YAMLS):
        shown |= {hook["id"] for repo in document.get("repos", ()) for hook in repo["hooks"]}
        for step in steps(document):
            if step.get("uses", "").startswith("OWNER/devlint@"):
                assert step.get("with", {}).keys() <= inputs
    assert shown <= hooks
    assert shown


def steps(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Those of a workflow of GitHub."""
    for job in document.get("jobs", {}).values():
        yield from job["steps"]


def test_a_line_has_comments_for_devlint_and_for_fixit(tmp_path: Path) -> None:
    [block] = [each for each in blocks("python") if each.document == "docs/linters.md"]
    head = 'import torch\n\ntarget = torch.ones(3)\nweights = torch.ones(3, device="cuda")\n'
    assert codes(head + block.text, tmp_path) == []
    assert codes(head + block.text.replace("# noqa: DEV201", ""), tmp_path) == ["DEV201"]


def codes(text: str, folder: Path) -> list[str]:
    """What devlint finds in a program."""
    path = folder / "shown.py"
    path.write_text(text)
    options = ["check", "--isolated", "--no-cache", "--output-format", "json", str(path)]
    return [each["code"] for each in json.loads(CliRunner().invoke(main, options).stdout)]
