"""A repository that names programs to run runs none of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hostile.running import MIXED, devlint

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="asks git")

#: What is written to `.git/config` and `.gitattributes`, so that git runs it.
CONFIGURATIONS = {
    "a monitor": ("core.fsmonitor", ""),
    "a pager": ("core.pager", ""),
    "an editor": ("core.editor", ""),
    "a command of SSH": ("core.sshCommand", ""),
    "a proxy": ("core.gitProxy", ""),
    "a prompt": ("core.askPass", ""),
    "a program for differences": ("diff.external", ""),
    "a filter into the repository": ("filter.x.clean", "*.py filter=x"),
    "a filter out of the repository": ("filter.x.smudge", "*.py filter=x"),
    "a filter that stays": ("filter.x.process", "*.py filter=x"),
    "a driver of differences": ("diff.x.command", "*.py diff=x"),
    "text from other files": ("diff.x.textconv", "*.py diff=x"),
    "a driver of merges": ("merge.x.driver", "*.py merge=x"),
    "a helper of credentials": ("credential.helper", ""),
    "an alias": ("alias.ls-tree", ""),
    "a program for signatures": ("gpg.program", ""),
    "a remote": ("remote.origin.uploadpack", ""),
    "a hook of fetches": ("uploadpack.packObjectsHook", ""),
}
HOOKS = ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman")


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def program(folder: Path) -> Path:
    """One that leaves a mark."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\ntouch '{folder / 'owned'}'\ncat\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(folder / "home"))
    path = folder / "repository"
    path.mkdir()
    monkeypatch.chdir(path)
    git("init", "-q")
    git("config", "user.name", "a")
    git("config", "user.email", "b@c")
    Path("a.py").write_text(MIXED.replace("* mask", "* 2"))
    git("add", ".")
    git("commit", "-q", "-m", "x")
    Path("a.py").write_text(MIXED)
    return path


def check(folder: Path) -> None:
    for arguments in (("--diff-base=HEAD", "."), (".",), ("--diff-base=HEAD", "--diff", ".")):
        ran = devlint("--no-cache", "--output-format=concise", *arguments)
        assert ran.returncode in (0, 1), ran.stderr
        assert b"a.py:5:10: DEV201" in ran.stdout or "--diff" in arguments
        assert not (folder / "owned").exists()


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_what_a_configuration_names_is_not_run(name: str, folder: Path) -> None:
    key, attributes = CONFIGURATIONS[name]
    if attributes:
        Path(".gitattributes").write_text(f"{attributes}\n")
        git("add", ".gitattributes")
        git("commit", "-q", "-m", "y")
        Path("a.py").write_text(MIXED)
    git("config", key, str(program(folder)))
    if key.startswith("filter"):
        git("config", "filter.x.required", "true")
    check(folder)


@pytest.mark.parametrize("hook", HOOKS)
def test_no_hook_is_run(hook: str, folder: Path) -> None:
    shutil.copy(program(folder), f".git/hooks/{hook}")
    check(folder)


def test_what_a_partial_clone_lacks_is_not_fetched_by_programs(folder: Path) -> None:
    """The blob of the revision is gone, and the remote names a program that would bring it."""
    git("config", "extensions.partialClone", "origin")
    git("config", "remote.origin.promisor", "true")
    git("config", "remote.origin.url", f"ext::{program(folder)} %S")
    for folder_of_objects in Path(".git/objects").iterdir():
        for path in folder_of_objects.iterdir():
            content = subprocess.run(
                ["git", "cat-file", "-t", folder_of_objects.name + path.name],
                capture_output=True,
                check=False,
            ).stdout
            if content == b"blob\n":
                path.unlink()
    ran = devlint("--no-cache", "--diff-base=HEAD", ".")
    assert ran.returncode == 2
    assert ran.stderr.count(b"\n") == 1, ran.stderr
    assert not (folder / "owned").exists()


def test_a_bare_repository_in_the_tree_is_none_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(".git", "sub")
    git("config", "-f", "sub/config", "core.fsmonitor", str(program(folder)))
    git("config", "-f", "sub/config", "core.worktree", str(folder / "repository"))
    monkeypatch.chdir("sub")
    devlint("--no-cache", "--diff-base=HEAD", ".")
    assert not (folder / "owned").exists()
