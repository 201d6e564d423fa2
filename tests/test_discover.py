"""The files that are linted are those that the user means."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from devlint.files.discover import discover
from devlint.settings import Configuration
from devlint.text.display_paths import relative


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and a user without git configuration."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write(*paths: str, text: str = "") -> None:
    for path in map(Path, paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def test_folder_gives_its_python_files_in_order() -> None:
    write("b.py", "a/z.py", "a/b.pyi", "a/readme.md", "a/nb.ipynb", "c.pyc")
    assert discover(["."]).files == ["a/b.pyi", "a/nb.ipynb", "a/z.py", "b.py"]


def test_file_named_twice_is_linted_once() -> None:
    write("a/b.py")
    assert discover(["a/b.py", "a", "./a/b.py"]).files == ["a/b.py"]


def test_paths_are_relative_only_below_the_working_directory(root: Path) -> None:
    write("a.py", "../other/b.py")
    found = discover([str(root / "a.py"), "../other"]).files
    assert found == [str(root.parent / "other" / "b.py"), "a.py"]


@pytest.mark.parametrize("folder", [".venv", "node_modules", "build", "x.egg-info", "__pycache__"])
def test_folder_that_holds_no_source_is_left_out_unless_named(folder: str) -> None:
    write(f"{folder}/a.py", "b.py")
    assert discover(["."]).files == ["b.py"]
    assert discover([folder]).files == [f"{folder}/a.py"]


def test_virtual_environment_of_any_name_is_left_out() -> None:
    write("py311/pyvenv.cfg", "py311/lib/a.py", "b.py")
    assert discover(["."]).files == ["b.py"]


@pytest.mark.parametrize(
    "glob", ["a.py", "tests/data", "tests/d*", "data", "data/", "**/a.py", "/tests/data", "*/data"]
)
def test_excluded_file_is_linted_only_when_named(glob: str) -> None:
    write("tests/data/a.py", "tests/b.py")
    configuration = Configuration({"exclude": (glob,)})
    assert discover(["."], configuration).files == ["tests/b.py"]
    assert discover(["tests/data/a.py"], configuration).files == ["tests/data/a.py"]


@pytest.mark.parametrize(
    ("key", "globs", "files"),
    [
        ("exclude", ["b.py"], [".venv/a.py", "a.py", "sub/c.py"]),
        ("extend_exclude", ["b.py"], ["a.py", "sub/c.py"]),
        ("extend_exclude", ["sub", "!sub"], ["a.py", "b.py", "sub/b.py", "sub/c.py"]),
        ("extend_exclude", ["!.venv"], [".venv/a.py", "a.py", "b.py", "sub/b.py", "sub/c.py"]),
        ("extend_exclude", ["./sub/*.py"], ["a.py", "b.py"]),
        ("extend_exclude", ["sub/", "b.py/"], ["a.py", "b.py"]),
        ("include", ["/a.py", "sub"], ["a.py", "sub/b.py", "sub/c.py", "sub/d.txt"]),
        ("include", ["*.py", "!b.py"], ["a.py", "sub/c.py"]),
        ("extend_include", ["*.txt"], ["a.py", "b.py", "sub/b.py", "sub/c.py", "sub/d.txt"]),
        ("extend_include", ["!/b.py"], ["a.py", "sub/b.py", "sub/c.py"]),
    ],
)
def test_globs_choose_files(key: str, globs: list[str], files: list[str]) -> None:
    write("a.py", "b.py", "sub/b.py", "sub/c.py", "sub/d.txt", ".venv/a.py")
    assert discover(["."], Configuration({key: globs})).files == files


def test_globs_may_be_absolute_or_lead_upwards(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "b.py", "sub/c.py")
    absolute = Configuration({"extend_exclude": [str(root / "b.py")]})
    assert discover(["."], absolute).files == ["a.py", "sub/c.py"]
    monkeypatch.chdir("sub")
    upwards = Configuration({"extend_exclude": ["../b.py"]})
    assert discover([str(root)], upwards).files == [str(root / "a.py"), "c.py"]


@pytest.mark.parametrize("path", ["x/data/a.py", "x/data", "x/data/deep", "./x/../x/data/a.py"])
def test_what_is_excluded_by_force_is_left_out_though_it_is_named(path: str, root: Path) -> None:
    write("x/data/a.py", "x/data/deep/b.py", "x/c.py")
    configuration = Configuration({"exclude": ["data"], "force_exclude": True})
    for each in (path, str(root / path)):
        assert discover([each, "x/c.py"], configuration).files == ["x/c.py"]
    kept = discover([path], Configuration({"exclude": ["data"]})).files
    assert kept


def test_force_does_not_look_above_the_configuration(root: Path) -> None:
    write("build/project/devlint.toml", text="force-exclude = true\n")
    write("build/project/a.py", "build/project/build/b.py")
    os.chdir("build/project")
    assert discover(["."]).files == discover(["a.py", "build/b.py"]).files == ["a.py"]


def test_globs_end_at_the_root_of_all_folders(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "sub/b.py")
    monkeypatch.chdir("/")
    forced = Configuration({"exclude": ["sub"], "force_exclude": True})
    assert discover([str(root / "a.py"), str(root / "sub/b.py")], forced).files == [
        relative(str(root / "a.py"))
    ]
    anchored = Configuration({"include": [f"{root}/*.py", "/sub"]})
    assert discover([str(root)], anchored).files == [relative(str(root / "a.py"))]


def test_each_folder_has_the_globs_of_its_configuration() -> None:
    write("devlint.toml", text="extend-exclude = ['gen']\n")
    write("sub/devlint.toml", text="extend-exclude = ['/old']\n")
    write("gen/a.py", "old/a.py", "sub/gen/a.py", "sub/old/a.py", "sub/x/old/a.py")
    assert discover(["."]).files == ["old/a.py", "sub/gen/a.py", "sub/x/old/a.py"]
    assert discover(["sub"]).files == ["sub/gen/a.py", "sub/x/old/a.py"]


def test_what_git_ignores_can_be_asked_for() -> None:
    write(".gitignore", text="a.py\n")
    write("a.py", "b.py")
    configuration = Configuration({"respect_gitignore": False})
    assert discover(["."], configuration).files == ["a.py", "b.py"]


def test_run_from_anywhere_finds_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "sub/b.py", "sub/deep/c.py", "sub/skip/d.py", "sub/ignored.py")
    write("devlint.toml", text="extend-exclude = ['/sub/skip']\n")
    write(".gitignore", text="ignored.py\n")
    os.symlink(root / "sub", root.parent / "link")
    wanted = {root / "a.py", root / "sub" / "b.py", root / "sub" / "deep" / "c.py"}
    for folder, path in ((".", "."), ("sub", ".."), ("/", str(root)), ("sub/deep", "../..")):
        monkeypatch.chdir(root / folder)
        assert {Path.cwd() / each for each in discover([path]).files} == wanted
    # Through a link it is another place, for which no file above speaks.
    monkeypatch.chdir(root)
    names = {Path(each).name for each in discover(["../link"]).files}
    assert names == {"b.py", "c.py", "d.py", "ignored.py"}


def test_missing_path_is_a_complaint_and_the_others_are_linted() -> None:
    write("a.py")
    discovery = discover(["gone.py", "a.py"])
    assert discovery.files == ["a.py"]
    assert discovery.complaints == ["gone.py: no such file or directory"]


def test_named_script_is_linted_when_it_is_python() -> None:
    write("train", "run.pyw")
    write("train.in", text="#!/usr/bin/env python3\n")
    write("notes.txt", text="torch\n")
    discovery = discover(["train", "run.pyw", "train.in", "notes.txt"])
    assert discovery.files == ["run.pyw", "train", "train.in"]
    assert discovery.complaints == ["notes.txt: not a Python file"]


def test_links_do_not_lead_in_circles() -> None:
    write("a/b.py")
    os.symlink("..", "a/up")
    os.symlink("nowhere", "a/dangling.py")
    os.symlink("b.py", "a/link.py")
    assert discover(["."]).files == ["a/b.py", "a/link.py"]


def test_gitignore_nearest_first_outside_any_repository() -> None:
    write("a.py", "x/b.py", "x/keep.py", "gen/c.py")
    write(".gitignore", text="/gen/\nx/*.py\n")
    write("x/.gitignore", text="!keep.py\n")
    assert discover(["."]).files == ["a.py", "x/keep.py"]


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")


@needs_git
def test_ignored_files_are_those_git_ignores() -> None:
    git("init", "-q")
    write(*TREE)
    write(".gitignore", text="*_gen.py\n/out/\n**/deep/x.py\n/data/*\n!/data/keep/\n# c\n\\#a.py\n")
    write("p/.gitignore", text="!k_gen.py\nq/*\n!q/r.py\nlocal\n")
    write("p/q/.gitignore", text="")
    write(".git/info/exclude", text="secret.py\n")
    write("../home/.config/git/ignore", text="mine.py\n")
    assert discover(["."]).files == sorted(visible(git("ls-files", "-o", "--exclude-standard")))
    below = [path for path in discover(["."]).files if path.startswith("p/")]
    assert discover(["p"]).files == below


TREE = (
    *("a.py", "a_gen.py", "#a.py", "secret.py", "mine.py", "out/b.py", "deep/x.py"),
    *("data/a.py", "data/keep/b.py", "data/keep/c_gen.py", "data/drop/d.py"),
    *("p/k_gen.py", "p/l_gen.py", "p/secret.py", "p/mine.py", "p/out/b.py", "p/local/a.py"),
    *("p/q/r.py", "p/q/s.py", "p/q/t/r.py", "p/deep/x.py", "p/deep/y.py"),
)


def visible(listing: str) -> Iterable[str]:
    return (path for path in listing.splitlines() if path.endswith(".py"))


@needs_git
@pytest.mark.parametrize("value", ["~/mine", "../ignored"])
def test_excludes_file_of_the_configuration_counts(value: str) -> None:
    git("init", "-q")
    write("a.py", "b.py")
    write("../home/mine", "../ignored", text="b.py\n")
    git("config", "--global", "core.excludesFile", value)
    assert discover(["."]).files == ["a.py"]


@needs_git
def test_worktree_has_the_exclude_file_of_its_repository(root: Path) -> None:
    git("init", "-q")
    git("-c", "user.name=a", "-c", "user.email=b@c", "commit", "-q", "--allow-empty", "-m", "x")
    git("worktree", "add", "-q", "../tree")
    write(".git/info/exclude", text="b.py\n")
    write("../tree/a.py", "../tree/b.py")
    assert discover(["../tree"]).files == [str(root.parent / "tree" / "a.py")]


@needs_git
def test_ignored_folder_is_linted_when_named() -> None:
    git("init", "-q")
    write(".gitignore", text="out/\n")
    write("out/a.py", "out/sub/b.py", "c.py")
    assert discover(["."]).files == ["c.py"]
    assert discover(["out"]).files == ["out/a.py", "out/sub/b.py"]
    assert discover(["out/sub"]).files == ["out/sub/b.py"]
