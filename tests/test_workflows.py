"""Workflows are valid, hold no secret, and name actions by what cannot be moved."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.documents import ROOT
from tests.test_documents import conforms

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")


def parsed(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_valid_and_pinned(path: Path) -> None:
    done = conforms(path, "vendor.github-workflows")
    assert done.returncode == 0, done.stdout
    steps = [step for job in parsed(path)["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert used
    assert [each for each in used if not PINNED.fullmatch(each)] == []
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_only_the_job_that_publishes_may_ask_for_an_identity() -> None:
    release = parsed(ROOT / ".github" / "workflows" / "release.yml")
    assert release["permissions"] == {"contents": "read"}
    jobs = release["jobs"]
    assert [name for name in jobs if "permissions" in jobs[name]] == ["publish"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["needs"] == "build"
    assert not any("run" in step for step in jobs["publish"]["steps"])
