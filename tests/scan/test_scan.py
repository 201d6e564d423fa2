"""`devlint scan`: tables that are the same however they came about, and a page about them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from devlint.cli import main  # noqa: E402
from devlint.cli.scan import SECTIONS  # noqa: E402
from devlint.scan import batch, supervision  # noqa: E402
from devlint.scan.schema import TABLES  # noqa: E402
from tests.documents import ROOT  # noqa: E402
from tests.scan.projects import PROJECT, folder, repository, tarred, zipped  # noqa: E402

FAULTY = Path(__file__).with_name("faulty_child.py")
CLEAN = {"a.py": b"import torch\n\nprint(torch.ones(3))\n"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def projects(here: Path) -> Path:
    """Six, one of which is broken, in as many batches as the size of one allows."""
    top = here / "all"
    top.mkdir()
    zipped(top / "a.whl")
    tarred(top / "b.tar.gz")
    (top / "broken.zip").write_text("no zip")
    folder(top / "c")
    folder(top / "d", CLEAN)
    repository(top / "e")
    return top


def scan(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["scan", *arguments])


def scanned(*arguments: str, out: str = "out") -> dict[str, list[dict[str, Any]]]:
    done = scan(*arguments, "--out", out)
    assert done.exit_code == 0, done.output
    return tables(out)


def tables(out: str = "out") -> dict[str, list[dict[str, Any]]]:
    return {name: pq.read_table(f"{out}/{name}").to_pylist() for name in TABLES}


def test_tables_have_findings_failures_and_projects(projects: Path) -> None:
    found = scanned("all")
    told = [(row["project"], row["path"], row["line"], row["code"]) for row in found["findings"]]
    assert told == [
        (f"all/{name}", "pack/train.py", 6, "DEV201") for name in ("a.whl", "b.tar.gz", "c", "e")
    ]
    assert [(row["project"], row["path"]) for row in found["failures"]] == [
        ("all/broken.zip", None)
    ]
    assert [row["is_analysed"] for row in found["projects"]] == [
        True,
        True,
        False,
        True,
        True,
        True,
    ]
    assert sum(row["files"] for row in found["projects"]) == 13


def test_findings_are_as_json_has_them(projects: Path) -> None:
    [row] = scanned("all/c")["findings"]
    command = ["check", "--isolated", "--no-cache", "--output-format", "json", "."]
    os.chdir("all/c")
    [known] = json.loads(CliRunner().invoke(main, command).stdout)
    assert row == {
        "project": "all/c",
        "source": "scaled = weights * load()",
        **{name: value for name, value in known.items() if name != "evidence"},
    }


def test_rows_are_the_same_whatever_the_workers_and_the_batches(projects: Path) -> None:
    one = scanned("all", "--jobs", "1", out="one")
    many = scanned("all", "--jobs", "3", "--batch-size", "1", "--estimate", "2", out="many")
    assert one == many
    assert len(list(Path("one/findings").iterdir())) < len(list(Path("many/findings").iterdir()))


def test_two_scans_write_the_same_bytes(projects: Path) -> None:
    for out in ("one", "two"):
        scanned("all", "--batch-size", "1", out=out)
    for table in TABLES:
        files = sorted(path.name for path in Path("one", table).iterdir())
        assert files == sorted(path.name for path in Path("two", table).iterdir())
        for name in files:
            assert Path("one", table, name).read_bytes() == Path("two", table, name).read_bytes()


def test_scan_that_was_interrupted_goes_on(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = scanned("all", "--batch-size", "1", out="whole")
    shutil.copytree("whole", "out")
    marks = sorted(Path("out", "done").iterdir())
    for mark in marks[2:4]:
        mark.unlink()
    part = next(Path("out", "findings").glob(f"part-{marks[3].stem}*"))
    part.write_bytes(b"half wri")
    before = {path: path.stat().st_mtime_ns for path in Path("out", "findings").iterdir()}
    assert scanned("all", "--batch-size", "1") == whole
    changed = [p.name for p, at in before.items() if p.stat().st_mtime_ns != at]
    assert sorted(changed) == [f"part-{mark.stem}.parquet" for mark in marks[2:4]]


@pytest.mark.parametrize("top", ["all", "all/c"])
def test_results_may_be_in_what_is_scanned(top: str, projects: Path) -> None:
    for _ in range(2):
        found = scanned(top, out=f"{top}/out")
        assert len(found["projects"]) == (6 if top == "all" else 1)


def test_scan_that_is_done_does_nothing_again(
    projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = scanned("all")
    monkeypatch.setattr(supervision, "COMMAND", (sys.executable, "-c", "raise SystemExit(1)"))
    done = scan("all", "--out", "out")
    assert done.exit_code == 0
    assert "6 of 6 projects are done already" in done.stderr
    assert tables() == found


@pytest.mark.parametrize(
    ("more", "changed"),
    [
        (("--select", "DEV1"), "settings"),
        (("--time-limit", "7"), "limits"),
        (("--batch-size", "1"), "batches"),
        (("all/c",), "sources and projects and batches"),
    ],
)
def test_folder_of_another_scan_is_left_alone(
    more: tuple[str, ...], changed: str, projects: Path
) -> None:
    scanned("all")
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    done = scan("all" if more[0].startswith("-") else "all/d", *more, "--out", "out")
    assert done.exit_code == 2
    line = f"error: out: holds a scan with other {changed}; choose another folder for this one\n"
    assert done.output == line
    assert before == {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}


def test_projects_that_changed_are_another_scan(projects: Path) -> None:
    scanned("all")
    zipped(projects / "a.whl", CLEAN)
    done = scan("all", "--out", "out")
    assert (done.exit_code, "with other projects and batches; choose" in done.output) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("gone --out out", "gone: no such file or directory"),
        ("empty --out out", "no projects found in empty"),
        ("all --out all", "all: there is something in it that is no scan"),
        ("all --out out --engine dask", "--engine dask and --scheduler go together"),
        ("all --out out --scheduler tcp://x:1", "--engine dask and --scheduler go together"),
        ("all --out out --select DEV17", "unknown rule 'DEV17'; did you mean "),
        ("all --out out --config gone.toml", "gone.toml: cannot read: no such file or directory"),
        (
            "all --out out --memory 3x",
            "Invalid value for '--memory': '3x' is no amount of memory, ",
        ),
    ],
)
def test_what_the_user_can_mend_is_one_line(arguments: str, line: str, projects: Path) -> None:
    Path("empty").mkdir()
    done = scan(*arguments.split())
    assert done.exit_code == 2
    assert done.output.startswith(f"error: {line}")
    assert done.output.count("\n") == 1
    assert not Path("out").exists()


def test_configuration_is_that_of_the_command_line_alone(projects: Path) -> None:
    Path("devlint.toml").write_text('ignore = ["DEV"]\n')
    Path("mine.toml").write_text('per-file-ignores = { "pack/" = ["DEV2"] }\n')
    assert len(scanned("all")["findings"]) == 4
    assert scanned("all", "--config", "mine.toml", out="named")["findings"] == []
    assert scanned("all", "--config", 'ignore = ["DEV2"]', out="told")["findings"] == []


@pytest.mark.parametrize(
    ("option", "value", "files"),
    [
        ("--extend-exclude", "pack/data.py", 9),
        ("--exclude", "/pack/", 1),
        ("--include", "/pack/train.py", 4),
        ("--per-file-ignores", "pack/:DEV2", 13),
    ],
)
def test_globs_of_the_command_line_are_relative_to_each_project(
    option: str, value: str, files: int, projects: Path
) -> None:
    found = scanned("all", option, value)
    assert sum(row["files"] for row in found["projects"]) == files
    assert found["findings"] == []


def test_cost_is_told_from_a_sample_before_the_rest(
    projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "LEAST", 2)
    arguments = ("all", "--out", "out", "--batch-size", "1", "--estimate", "2")
    done = scan(*arguments, "--estimate-only")
    assert done.exit_code == 0
    [told] = [line for line in done.stderr.splitlines() if "of one core" in line]
    assert told.startswith("4 batches left: about ")
    assert len(list(Path("out", "done").iterdir())) == 2
    assert len(scanned(*arguments[:1], *arguments[3:])["projects"]) == 6


def test_quiet_scan_says_nothing(projects: Path) -> None:
    assert scan("all", "--out", "out", "-q").output == ""


def table(path: Path, rows: list[tuple[Any, ...]], **options: Any) -> None:
    columns = dict(zip(("repo", "path", "content"), zip(*rows, strict=True), strict=True))
    pq.write_table(pa.table({name: list(held) for name, held in columns.items()}), path, **options)


def test_parquet_has_a_project_for_each_repository(here: Path) -> None:
    rows: list[tuple[Any, ...]] = [("a/one", path, data.decode()) for path, data in PROJECT.items()]
    rows += [("b/two", "a.py", "import torch\n"), ("b/two", "../b.py", ""), ("b/two", "c.py", None)]
    table(here / "code.parquet", rows)
    found = scanned("code.parquet")
    assert [row["project"] for row in found["projects"]] == [
        "code.parquet:a/one",
        "code.parquet:b/two",
    ]
    assert [row["project"] for row in found["findings"]] == ["code.parquet:a/one"]
    assert [(row["path"], row["reason"]) for row in found["failures"]] == [
        ("../b.py", "its name leads out of the project"),
        ("c.py", "it has no content"),
    ]


def test_repository_is_whole_though_its_rows_are_not_together(here: Path) -> None:
    rows = [(name, path, data) for path, data in PROJECT.items() for name in ("one", "two")]
    table(here / "code.parquet", rows, row_group_size=3)
    found = scanned("code.parquet")
    assert [row["path"] for row in found["findings"]] == ["pack/train.py"] * 2


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ({"repo": ["a"], "path": ["a.py"]}, "it has no column 'content', of repo, path, content"),
        (None, "not a Parquet file: "),
    ],
)
def test_parquet_that_cannot_be_read_is_one_line(
    columns: dict[str, Any] | None, line: str, here: Path
) -> None:
    path = here / "code.parquet"
    path.write_bytes(b"no table") if columns is None else pq.write_table(pa.table(columns), path)
    done = scan("code.parquet", "--out", "out")
    assert done.exit_code == 2
    assert done.output.startswith(f"error: code.parquet: {line}")


def test_names_and_texts_that_are_no_unicode_are_kept_readable(here: Path) -> None:
    odd = os.fsdecode(b"od\xff.py")
    text = PROJECT["pack/train.py"].replace(b"load()", b'torch.ones(3, names="\xc3\xa9")')
    folder(here / "one", {"a.py": b""})
    (here / "one" / odd).write_bytes(text)
    [row] = scanned("one")["findings"]
    assert row["path"] == "od\\udcff.py"
    assert row["source"].endswith('names="é")')


class Page(HTMLParser):
    """The tags of a page, and the text in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(path.read_text(encoding="ascii"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_page_tells_rules_projects_findings_and_failures(projects: Path) -> None:
    scanned("all")
    page = Page(Path("out", "report.html"))
    assert "4 findings (4 errors) in 6 projects with 13 files, 1 failure" in page.text
    assert "DEV201 mixed-devices44" in page.text
    assert "all/a.whl: pack/train.py:6" in page.text
    assert "all/broken.zipnot an archive that can be read" in page.text
    assert "script" not in page.tags


def test_page_takes_nothing_for_markup(here: Path) -> None:
    text = PROJECT["pack/train.py"].replace(
        b"load()", b"torch.ones(3)  # <script>alert(1)</script>"
    )
    folder(here / "<script>" / "one", {"<b>.py": text})
    scanned("<script>")
    page = Page(Path("out", "report.html"))
    assert "script" not in page.tags
    assert "b" not in page.tags
    assert "<b>.py:6" in page.text
    assert "# <script>alert(1)</script>" in page.text


def test_every_option_of_a_scan_is_documented() -> None:
    text = (ROOT / "docs" / "scan.md").read_text(encoding="utf-8")
    command = main.get_command(click.Context(main), "scan")
    assert command
    own = sum(len(SECTIONS[title]) for title in ("Scan", "Limits of each project"))
    names = [each.opts[-1] for each in command.params if isinstance(each, click.Option)]
    assert [name for name in names[:own] if name not in text] == []
