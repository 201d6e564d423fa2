"""Notebooks are checked as one program, and what is found there has its place in a cell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main
from devlint.document.ipython import read
from devlint.files.discover import discover
from devlint.finding import Span
from devlint.findings.source_lines import Sources

SETUP = "import torch\nweights = torch.ones(3, device='cuda')\n"
MIX = "mask = torch.ones(3)\nscaled = weights * mask"
TWO = [("markdown", "# Title"), ("code", SETUP), ("raw", ""), ("code", f"# two\n{MIX}")]
PYTHON = {"kernelspec": {"language": "python", "name": "python3"}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def notebook(cells: Sequence[tuple[str, str | list[str]]], **metadata: Any) -> dict[str, Any]:
    listed: list[dict[str, Any]] = [
        {"cell_type": kind, "source": source, "metadata": {}} for kind, source in cells
    ]
    return {"cells": listed, "metadata": metadata or PYTHON, "nbformat": 4, "nbformat_minor": 5}


def write(content: object, path: str = "nb.ipynb") -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(json.dumps(content), encoding="utf-8")


def devlint(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["nb.ipynb", *arguments])


def found(*arguments: str) -> list[tuple[str, int | None, int, int]]:
    items = json.loads(devlint("--output-format", "json", *arguments).stdout)
    return [(each["code"], each["cell"], each["line"], each["column"]) for each in items]


def found_in(*cells: str, **metadata: Any) -> list[tuple[str, int | None, int, int]]:
    write(notebook([("code", cell) for cell in cells], **metadata))
    return found()


def test_cells_are_one_program_and_places_are_in_cells() -> None:
    write(notebook(TWO))
    result = devlint("--output-format", "json")
    [item] = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (item["code"], item["cell"], item["line"], item["column"]) == ("DEV201", 4, 3, 10)
    assert [(each["cell"], each["line"]) for each in item["related"]] == [(2, 2), (4, 2)]
    assert item["fix"] is None


def test_reports_show_the_lines_of_the_cell() -> None:
    write(notebook(TWO))
    assert devlint("--output-format", "concise").stdout.startswith("nb.ipynb:cell 4:3:10: DEV201")
    full = devlint().stdout
    assert "3 | scaled = weights * mask\n  |          ^^^^^^^^^^^^^^\n" in full
    assert "2 | weights = torch.ones(3, device='cuda')\n" in full


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_source_may_be_a_list_of_lines(end: str) -> None:
    cells = [(kind, source.replace("\n", end).splitlines(keepends=True)) for kind, source in TWO]
    write(notebook(cells))
    assert found() == [("DEV201", 4, 3, 10)]


def test_worksheets_of_version_3_are_read() -> None:
    cells = [{"cell_type": "code", "input": each, "language": "python"} for each in (SETUP, MIX)]
    write({"worksheets": [{"cells": cells}], "metadata": {"name": ""}, "nbformat": 3})
    assert found() == [("DEV201", 2, 2, 10)]


def test_notebooks_of_other_languages_are_passed_over() -> None:
    assert found_in(SETUP, MIX, language_info={"name": "R"}) == []
    assert found_in(SETUP, MIX, kernelspec={"language": "julia", "name": "julia-1.9"}) == []


def test_cells_of_other_languages_are_passed_over() -> None:
    content = notebook([("code", each) for each in (SETUP, "weights = mask", MIX)])
    content["cells"][1]["metadata"] = {"vscode": {"languageId": "sql"}}
    content["cells"][2]["metadata"] = {"vscode": {"languageId": "python"}}
    write(content)
    assert found() == [("DEV201", 3, 2, 10)]


@pytest.mark.parametrize(
    "cell",
    [
        "%%bash\nimport torch",
        "%%unheard -of\nsome text",
        "loss = \nmodel =",
        "loss =  # TODO: your code",
        "loss = <YOUR CODE>",
        "if loss:\n",
        "print 'old'",
    ],
)
def test_cells_that_are_evidently_no_python_are_passed_over(cell: str) -> None:
    assert found_in(SETUP, cell, MIX) == [("DEV201", 3, 2, 10)]


@pytest.mark.parametrize(
    ("cell", "line", "column"),
    [
        ("x = 1\ny = 'no end", 2, 5),
        ("import \0", 1, 1),
        ("\ud83d = 1", 1, 1),
        ("x = f(1))", 1, 9),
        ("  %cd ..\n  x y", 2, 5),
    ],
)
def test_cells_that_cannot_be_read_are_told_and_leave_the_rest(
    cell: str, line: int, column: int
) -> None:
    assert found_in(SETUP, cell, MIX) == [("DEV903", 2, line, column), ("DEV201", 3, 2, 10)]
    result = devlint()
    assert result.exit_code == 1
    assert result.stderr.startswith("note: nb.ipynb: cell 2 is left out: ")
    assert result.stderr.endswith(f", line {line}\n")
    write(notebook([("code", SETUP), ("code", cell)]))
    assert devlint().exit_code == 0


def test_cells_that_cannot_be_read_are_not_told_where_it_does_not_matter() -> None:
    assert found_in("import torchvision", "x y") == []
    assert found_in("# devlint: ignore-file", SETUP, "x y") == []
    assert found_in("import torch", "x.cuda(") == [("DEV903", 2, 1, 7)]


def test_what_a_cell_that_cannot_be_read_may_change_is_unknown() -> None:
    model = "model = torch.nn.Linear(2, 2)"
    feed = "model(torch.ones(3, 2).cuda())"
    assert found_in(SETUP, model, feed) == [("DEV201", 3, 1, 1)]
    for cell in (
        "model.cuda()\nloss = ",
        "weights = model.weight\nmodel = f(",
        "%%what\nrun(model)",
    ):
        found = found_in(SETUP, model, cell, feed)
        assert [each[0] for each in found if each[0] != "DEV903"] == []
    assert found_in(f"{SETUP}loss =", MIX) == []
    assert found_in("import torch as t\nloss =", "t.ones(3).cuda() * t.ones(3)")[0][0] == "DEV201"


@pytest.mark.parametrize(
    "magic",
    [
        "%matplotlib inline",
        "% matplotlib inline",
        "!pip install torch",
        "!pip install \\\n  'torch",
        "weights?",
        "torch.ones??",
        "?weights",
        "files = !ls",
        "took = %timeit -o f()",
        "/f x",
        ",f x",
        "%time torch.manual_seed(0)",
        "await ready()",
        "%%time\n",
        "\n%%capture out",
        "# coding: latin-1",
    ],
)
def test_magics_of_a_cell_leave_the_rest_in_its_place(magic: str) -> None:
    above = magic.count("\n") + 1
    assert found_in(SETUP, f"{magic}\n{MIX}") == [("DEV201", 2, above + 2, 10)]


def test_masking_keeps_lines_and_columns() -> None:
    cell = "def f():\n    %time  x = g(1)\n    y = !ls\n    return x\n%cd ..\nf()  # ok?"
    lines = read(cell).text.split("\n")
    assert lines[1] == "    0;     x = g(1)"
    assert lines[2] == "    y = get_ipython()"
    assert lines[4] == "get_ipython()"
    assert lines[5] == "f(), # ok?"


def test_a_timed_statement_runs() -> None:
    assert found_in(SETUP, f"%time weights = weights.cpu()\n{MIX}") == []


def test_what_python_reads_is_no_magic() -> None:
    cell = "total = (7\n    %two\n    /three)\ntext = '''\n!ls\n'''"
    assert "\n".join(read(cell).lines) == cell


def test_the_last_call_of_a_cell_is_shown_not_discarded() -> None:
    move = "images = torch.rand(8)\nimages.to('cuda')"
    assert found_in(SETUP, move, "print(images.mean())") == []
    assert found_in(SETUP, f"{move};", "print(images.mean())") == [("DEV204", 2, 2, 1)]
    assert found_in(SETUP, f"{move}\nprint(images.mean())") == [("DEV204", 2, 2, 1)]


def test_comments_in_cells_silence() -> None:
    assert found_in(SETUP, f"{MIX}  # noqa: DEV201") == []
    assert found_in(SETUP, f"{MIX}  # devlint: ignore[mixed-devices]") == []
    assert found_in("# devlint: ignore-file", SETUP, MIX) == []
    assert found_in(SETUP, "x = 1  # devlint: ignore[DEV201]") == [("DEV901", 2, 1, 26)]


def test_columns_count_characters() -> None:
    assert found_in(SETUP, f"größe = '設計'; {MIX}") == [("DEV201", 2, 2, 10)]


@pytest.mark.parametrize(
    "content", ["torch {", '["torch"]', '{"torch": 1}', '{"cells": [{"torch": 1}]}', "torch\xff"]
)
def test_broken_notebook_is_one_line(content: str) -> None:
    Path("nb.ipynb").write_bytes(content.encode("latin-1"))
    result = devlint()
    assert result.exit_code == 2
    assert result.stderr.startswith("error: nb.ipynb: cannot read: not a valid notebook: ")
    assert result.stderr.count("\n") == 1
    assert devlint("--output-format=concise").stdout.startswith("nb.ipynb:1:1: DEV902 error")


def test_faults_of_the_whole_notebook_have_no_cell() -> None:
    assert found_in(SETUP, f"weights.cuda() * torch.ones(3)\nx = {'1 + ' * 600}1") == [
        ("DEV903", None, 1, 1),
        ("DEV201", 2, 1, 1),
    ]


def test_notebooks_are_found_in_folders_but_not_their_copies() -> None:
    copies = [".ipynb_checkpoints/nb-checkpoint.ipynb", ".virtual_documents/nb.ipynb"]
    for path in ("nb.ipynb", *copies):
        write(notebook(TWO), path)
    write(notebook(TWO), "drafts/nb.ipynb")
    Path(".gitignore").write_text("drafts/\n")
    for named in ([], copies, [".virtual_documents"]):
        assert discover([".", *named]).files == ["nb.ipynb"]


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_annotations_stand_on_the_line_of_the_file(indent: int | None) -> None:
    lines = [f"{line}\n" for line in ("# ü 😀", "", *MIX.split("\n"))]
    content = notebook([("markdown", "# Title"), ("code", SETUP), ("code", lines)])
    text = json.dumps(content, indent=indent)
    Path("nb.ipynb").write_text(text, encoding="utf-8")
    number = next(n for n, line in enumerate(text.split("\n"), 1) if "weights * mask" in line)
    assert f"file=nb.ipynb,line={number}::cell 3, line 4: " in devlint(
        "--output-format=github"
    ).stdout.replace("title=devlint%3A DEV201 mixed-devices,", "")


def test_a_notebook_is_read_once_for_all_its_findings() -> None:
    write(notebook(TWO))
    seen: list[str] = []

    def content(path: str) -> bytes:
        seen.append(path)
        return Path(path).read_bytes()

    sources = Sources(content)
    assert sources.lines("nb.ipynb", 2)[0] == "import torch"
    assert sources.lines("nb.ipynb", 4)[0] == "# two"
    assert sources.file_line("nb.ipynb", Span(4, 1, 1, 1, 2)) == 1
    assert seen == ["nb.ipynb"]


def test_a_source_of_one_string_is_on_one_line() -> None:
    write(notebook(TWO))
    assert "linenumber=1;" in devlint("--output-format=azure").stdout
