"""Projects are found in what a user names, and read into memory as they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from devlint.cli import main
from devlint.scan.errors import ScanError
from devlint.scan.sources.listing import units
from devlint.settings import Configuration
from tests.scan.projects import (
    PROJECT,
    failures,
    folder,
    git,
    only,
    places,
    repository,
    result,
    tarred,
    zipped,
)

FOUND = [("pack/train.py", 6, "DEV201")]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bare(path: Path, files: Mapping[str, bytes] = PROJECT) -> Path:
    repository(path.with_suffix(".work"), files)
    git(path.parent, "clone", "-q", "--bare", str(path.with_suffix(".work")), str(path))
    return path


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (folder, "project"),
        (zipped, "project-1.0-py3-none-any.whl"),
        (zipped, "project.zip"),
        (tarred, "project-1.0.tar.gz"),
        (tarred, "project.tar"),
        (repository, "project"),
        (bare, "project.git"),
    ],
)
def test_project_is_analysed_as_a_whole_wherever_it_is(
    make: Callable[[Path], Path], name: str, here: Path
) -> None:
    make(here / name)
    unit = only(name)
    one = result(unit)
    assert (unit.project, places(one), one.failures) == (name, FOUND, [])
    assert (one.project["files"], one.project["is_analysed"]) == (3, True)


def test_rows_are_what_devlint_check_writes_as_json(here: Path) -> None:
    """The configuration of the project ignores the rule; both are told to read none."""
    folder(here / "project")
    arguments = ["check", "--isolated", "--no-cache", "--output-format", "json", "."]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here / "project")
        checked = json.loads(CliRunner().invoke(main, arguments).stdout)
    [row] = result(only("project")).findings
    assert row.pop("project") == "project"
    assert row.pop("source") == "scaled = weights * load()"
    assert [{**row, "evidence": None}] == checked


def test_folder_of_projects_and_archives_is_each_of_them(here: Path) -> None:
    folder(here / "all" / "one")
    folder(here / "all" / "owner" / "two", {"src/a.py": b"", "setup.cfg": b""})
    (here / "all" / "wheels").mkdir()
    zipped(here / "all" / "wheels" / "b.whl")
    bare(here / "all" / "bare.git")
    (here / "all" / "notes.txt").write_text("import torch\n")
    found = units(["all"])
    assert [(each.project, each.kind) for each in found] == [
        ("all/bare.git", "git"),
        ("all/bare.work", "folder"),
        ("all/one", "folder"),
        ("all/owner/two", "folder"),
        ("all/wheels/b.whl", "archive"),
    ]


def test_list_names_sources_and_each_counts_once(here: Path) -> None:
    folder(here / "one")
    zipped(here / "two.whl")
    (here / "list.txt").write_text("# mine\none\n\n  two.whl\none\n")
    assert [each.project for each in units(["@list.txt", "two.whl"])] == ["one", "two.whl"]


@pytest.mark.parametrize(
    ("sources", "line"),
    [
        (["gone"], "gone: no such file or directory"),
        (["a.txt"], "a.txt: neither a folder, an archive nor a Parquet file"),
        (["@gone"], "@gone: cannot read: no such file or directory"),
        (["@nested.txt"], "nested.txt:2: a list cannot name another list"),
        (["one@nothing"], "one@nothing: Needed a single revision"),
        (["one@--all"], "one@--all: Needed a single revision"),
    ],
)
def test_source_that_is_none_is_a_line(sources: list[str], line: str, here: Path) -> None:
    repository(here / "one")
    (here / "a.txt").write_text("")
    (here / "nested.txt").write_text("one\n@list.txt\n")
    with pytest.raises(ScanError) as caught:
        units(sources)
    assert str(caught.value) == line


def test_commit_is_read_from_objects_whatever_is_checked_out(here: Path) -> None:
    top = repository(here / "one")
    first = git(top, "rev-parse", "HEAD")
    (top / "pack" / "train.py").write_text("")
    git(top, "commit", "-qam", "two")
    (top / "pack" / "data.py").unlink()
    unit = only(f"one@{first[:10]}")
    one = result(unit)
    assert (unit.part, one.project["revision"], places(one)) == (first, first, FOUND)
    assert places(result(only("one@HEAD"))) == []


def test_configuration_of_git_runs_nothing(here: Path) -> None:
    top = repository(here / "one")
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "filter.x.smudge",
        "diff.external",
    ):
        git(top, "config", key, f"touch {here / 'ran'};")
    (top / ".gitattributes").write_text("*.py filter=x\n")
    git(top, "-c", "filter.x.clean=cat", "-c", "core.fsmonitor=false", "add", ".gitattributes")
    git(top, "-c", "core.fsmonitor=false", "commit", "-qm", "two")
    (here / "ran").unlink(missing_ok=True)
    assert places(result(only("one@HEAD"))) == FOUND
    assert not (here / "ran").exists()


def test_links_and_submodules_of_a_commit_are_left_out(here: Path) -> None:
    top = folder(here / "one")
    (top / "pack" / "link.py").symlink_to("/etc/hostname")
    repository(top)
    number = git(top, "rev-parse", "HEAD")
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{number},sub.py")
    git(top, "commit", "-qm", "two")
    one = result(only("one@HEAD"))
    assert (one.project["files"], places(one), one.failures) == (3, FOUND, [])


def test_file_that_lfs_keeps_elsewhere_is_a_failure(here: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    repository(here / "one", {**PROJECT, "big.py": pointer})
    assert failures(result(only("one@HEAD"))) == {
        "big.py": "cannot read: kept elsewhere, by git lfs"
    }


def test_folder_leaves_out_what_git_ignores_and_what_is_installed(here: Path) -> None:
    more = {
        ".gitignore": b"old/\n",
        "old/a.py": b"",
        "env/pyvenv.cfg": b"",
        "env/b.py": b"",
        "build/c.py": b"",
        "note.ipynb": b'{"cells": []}',
    }
    folder(here / "one", {**PROJECT, **more})
    (here / "one" / "loop").symlink_to(here / "one")
    (here / "one" / "gone.py").symlink_to("nowhere")
    one = result(only("one"))
    assert (one.project["files"], places(one), one.failures) == (4, FOUND, [])


@pytest.mark.parametrize(
    ("given", "files"),
    [
        ({"extend_exclude": ["pack/data.py"]}, 2),
        ({"extend_exclude": ["pack/"]}, 0),
        ({"include": ["*.md"]}, 1),
    ],
)
def test_globs_are_relative_to_each_project(
    given: dict[str, object], files: int, here: Path
) -> None:
    tarred(here / "one.tar")
    configuration = Configuration({**given, "cache": False}, is_isolated=True)
    assert result(only("one.tar"), configuration).project["files"] == files


def test_rules_of_files_are_relative_to_each_project(here: Path) -> None:
    zipped(here / "one.whl")
    for glob, found in (("pack/", []), ("one/", FOUND)):
        given = {"per_file_ignores": {glob: ["DEV2"]}}
        assert places(result(only("one.whl"), Configuration(given, is_isolated=True))) == found


def test_url_is_read_by_fsspec(here: Path) -> None:
    pytest.importorskip("fsspec")
    zipped(here / "a.whl")
    zipped(here / "b.whl")
    found = units([f"file://{here}/*.whl"])
    assert [each.project for each in found] == [f"file://{here}/{name}.whl" for name in "ab"]
    assert places(result(found[1])) == FOUND


@pytest.mark.parametrize(
    ("engine", "missing"),
    [([], "pyarrow"), (["--engine", "dask", "--scheduler", "tcp://x:1"], "distributed")],
)
def test_scan_without_its_extra_is_one_line(
    engine: list[str], missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devlint.cli.scan.find_spec", lambda name: None if name == missing else 1)
    done = CliRunner().invoke(main, ["scan", ".", "--out", "out", *engine])
    line = f"error: no {missing} is installed: pip install 'devlint[scan]'\n"
    assert (done.exit_code, done.output) == (2, line)
