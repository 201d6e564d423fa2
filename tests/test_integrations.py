"""The hooks of pre-commit and the action of GitHub do what they say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parent.parent
DEVLINT = Path(sys.executable).with_name("devlint")
STAYS = """import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Sequential(torch.nn.Linear(4, 4)).to(device)
model.fc = torch.nn.Linear(4, 2)
print(model.fc(torch.ones(2, 4, device=device)))
"""


def read(path: Path) -> Any:
    return YAML(typ="safe").load(path)


HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in read(ROOT / ".pre-commit-hooks.yaml")
}
ACTION: dict[str, Any] = read(ROOT / "action.yml")
INSTALL, RUN = ACTION["runs"]["steps"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding in train.py, and one where the configuration does not look."""
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(STAYS)
    Path("old").mkdir()
    Path("old", "train.py").write_text(STAYS)
    Path("devlint.toml").write_text('extend-exclude = ["old/"]\n')


def hook(name: str, *paths: str) -> subprocess.CompletedProcess[str]:
    """As pre-commit runs it."""
    program, *arguments = HOOKS[name]["entry"].split()
    assert program == "devlint"
    given = paths if HOOKS[name].get("pass_filenames", True) else ()
    return subprocess.run(
        [DEVLINT, *arguments, *given], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", HOOKS)
def test_hook_takes_files_that_devlint_reads_and_runs_once(name: str) -> None:
    assert HOOKS[name]["types_or"] == ["python", "pyi", "jupyter"]
    assert HOOKS[name]["require_serial"] is True
    assert HOOKS[name]["language"] == "python"


@pytest.mark.parametrize("name", HOOKS)
def test_hook_fails_with_findings_and_leaves_out_what_is_excluded(name: str) -> None:
    done = hook(name, "train.py", "old/train.py")
    assert "train.py:5:1: DEV101" in done.stdout or name == "devlint-fix"
    assert "old" not in done.stdout
    assert done.returncode == (0 if name == "devlint-fix" else 1), done.stderr
    assert Path("old", "train.py").read_text() == STAYS


def test_hook_that_fixes_writes_the_file_and_the_others_do_not() -> None:
    for name in ("devlint", "devlint-project"):
        hook(name, "train.py")
        assert Path("train.py").read_text() == STAYS
    hook("devlint-fix", "train.py")
    assert "nn.Linear(4, 2).to(device)" in Path("train.py").read_text()
    assert hook("devlint", "train.py").returncode == 0


def test_hook_of_the_project_looks_at_all_of_it() -> None:
    Path("other.py").write_text("")
    assert "train.py:5:1" in hook("devlint-project", "other.py").stdout


@pytest.fixture
def bash() -> str:
    found = shutil.which("bash")
    return found or pytest.skip("there is no bash")


def environment(inputs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What a step finds, with these inputs."""
    known = {name: each["default"] for name, each in ACTION["inputs"].items()}
    assert known.keys() >= inputs.keys()
    values = {f"${{{{ inputs.{name} }}}}": text for name, text in {**known, **inputs}.items()}
    values["${{ steps.install.outputs.devlint }}"] = str(DEVLINT)
    for name, expression in RUN["env"].items():
        yield name, values[expression]


def action(bash: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    given = {name.replace("_", "-"): text for name, text in inputs.items()}
    return subprocess.run(
        [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", RUN["run"]],
        env={**os.environ, **dict(environment(given))},
        capture_output=True,
        text=True,
        check=False,
    )


def test_action_never_writes_inputs_into_scripts() -> None:
    for step in (INSTALL, RUN):
        assert "${{" not in step["run"]


def test_action_annotates_what_it_finds(bash: str) -> None:
    done = action(bash)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error ")
    assert "file=train.py,line=5" in done.stdout
    assert done.stdout.count("::error") == 1


def test_action_without_annotations_writes_to_the_log(bash: str) -> None:
    done = action(bash, annotations="false", args="--output-format concise --fail-level=error")
    assert done.stdout.startswith("train.py:5:1: DEV101")
    assert done.returncode == 1


def test_action_writes_sarif_beside_annotations(bash: str) -> None:
    done = action(bash, sarif_file="out/devlint.sarif")
    assert done.returncode == 1
    assert done.stdout.startswith("::error ")
    [run] = json.loads(Path("out/devlint.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["DEV101"]


def test_action_takes_paths_with_spaces_and_options_with_quotes(bash: str) -> None:
    Path("my code").mkdir()
    Path("my code", "one.py").write_text(STAYS)
    done = action(
        bash,
        paths="my code\nold/train.py\n",
        args="--config 'severity = {DEV101 = \"note\"}'\n--select DEV1,DEV2",
    )
    assert done.stdout.count("::notice ") == 2
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", ["$(touch own)", "; touch own", "`touch own`", "&& touch own"])
def test_action_hands_no_input_to_a_shell(bash: str, text: str) -> None:
    for inputs in ({"paths": text}, {"args": text}, {"sarif_file": text}):
        action(bash, **inputs)
        assert not Path("own").exists()


def test_action_tells_what_could_not_be_done(bash: str) -> None:
    done = action(bash, paths="gone.py", sarif_file="devlint.sarif")
    assert done.returncode == 2
    assert "error: gone.py: no such file or directory" in done.stderr
    assert action(bash, args="--select 'DEV1").returncode != 0
