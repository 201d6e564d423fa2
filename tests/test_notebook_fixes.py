"""Fixes of notebooks change the strings of the lines that they change, and no other byte."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.document.notebook import Notebook
from devlint.finding import Edit, Span
from devlint.run.check import check
from devlint.run.fix import mended, parses
from devlint.run.plan import Plan
from devlint.text.source_text import NEWLINE
from tests.test_fix import MixedSum

PLAN = Plan.of_rules([MixedSum()])
SETUP = "import torch\ngröße = '設計 \U0001f600'\nweights = torch.ones(3, device='cuda')"
MIXED = "mask = torch.ones(3)\ntext = '\U0001f600 </a>'; x = weights + mask\nprint(x)"
MENDED = MIXED.replace("+ mask", "+ mask.to(weights.device)")
STYLES: list[dict[str, Any]] = [
    {"indent": 1, "ensure_ascii": False},
    {"indent": 4},
    {"indent": "\t", "sort_keys": True},
    {"indent": 0, "separators": (",  ", " : ")},
    {"separators": (",", ":"), "ensure_ascii": False},
    {},
]
Source = str | list[str]


def lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def notebook(*sources: Source) -> dict[str, Any]:
    """Each cell prints what stood in it at first."""
    output = {"output_type": "stream", "name": "stdout", "text": [*lines(MIXED), "\x1b[0m é"]}
    cells = [
        {
            "source": source,
            "outputs": [output, {"source": MIXED, "data": {"text/plain": MIXED}}],
            "metadata": {"source": [MIXED], "number": 1.5},
            "cell_type": kind,
        }
        for kind, source in [("markdown", MIXED), *(("code", each) for each in sources)]
    ]
    return {"nbformat": 4, "cells": cells, "metadata": {"cells": []}, "nbformat_minor": 5}


def written(content: object, style: Mapping[str, Any], mark: str, end: str) -> bytes:
    text = json.dumps(content, **style)
    return f"{mark}{text}\n".replace("\n", end or "\n").removesuffix("" if end else "\n").encode()


def fixed(data: bytes) -> bytes:
    """A notebook after all fixes; a second run finds nothing."""
    file = mended("nb.ipynb", data, check("nb.ipynb", data, PLAN.active).findings, PLAN)
    assert file is not None
    assert check("nb.ipynb", file.after, PLAN.active).findings == ()
    return file.after


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_only_changed_source_lines_differ(style: Mapping[str, Any], mark: str, end: str) -> None:
    for one, other, wanted in (
        (SETUP, MIXED, MENDED),
        (lines(SETUP), lines(MIXED), lines(MENDED)),
        (SETUP, [MIXED], [MENDED]),
    ):
        before = written(notebook(one, other), style, mark, end)
        assert fixed(before) == written(notebook(one, wanted), style, mark, end)


def test_worksheets_of_version_3_are_mended() -> None:
    def sheets(source: str) -> bytes:
        cells = [
            {"cell_type": "code", "input": lines(each), "language": "python", "outputs": []}
            for each in (SETUP, source)
        ]
        sheet: dict[str, Any] = {"cells": cells[1:], "metadata": {}}
        return json.dumps({"worksheets": [{"cells": cells[:1]}, sheet], "nbformat": 3}).encode()

    assert fixed(sheets(MIXED)) == sheets(MENDED)


def test_what_json_escapes_stays_as_it_is_escaped() -> None:
    text = json.dumps(notebook(SETUP, MIXED)).replace("<", r"\u003C").replace("/", r"\/")
    text = text.replace(r"\ud83d", r"\uD83D").replace('"number": 1.5', '"number": 1.50e+0')
    after = fixed(text.encode()).decode()
    assert after.count(".to(weights.device)") == 1
    assert after.replace(".to(weights.device)", "") == text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_new_lines_are_strings_of_their_own(newline: str) -> None:
    old = "self.head = Head()\nself.head.cuda()".replace("\n", newline)
    new = old.replace("Head()", "Head()\nself.head.to(d)".replace("\n", newline))
    edit = Edit(Span(2, 1, 19, 1, 19), "\nself.head.to(d)")
    for style in STYLES:
        before = json.dumps(notebook(lines(old)), **style)
        after = json.dumps(notebook(lines(new)), **style)
        assert Notebook(before.encode()).edited([edit]).decode() == after


def span_of(text: str, start: int, end: int) -> Span:
    places: list[int] = []
    for offset in (start, end):
        ends = [newline.end() for newline in NEWLINE.finditer(text) if newline.end() <= offset]
        places += len(ends) + 1, offset - (ends[-1] if ends else 0) + 1
    return Span(2, *places)


SOURCES = st.lists(st.text('ab\n\r"\\/é\u2028\U0001f600\t', max_size=5), min_size=1, max_size=5)


@given(SOURCES, st.data(), st.sampled_from(STYLES), st.booleans())
def test_edits_of_a_cell_are_those_of_its_text(
    source: list[str], data: st.DataObject, style: Mapping[str, Any], is_list: bool
) -> None:
    """Whatever strings a list has, the cell is what edits make of its text; all else stays."""
    source = [*source, "."]
    text = "".join(source)
    start, end = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    new = data.draw(st.sampled_from(["", 'é"', "x\ny", "\n"]))
    content = notebook(source if is_list else text)
    before = json.dumps(content, **style).encode()
    after = json.loads(Notebook(before).edited([Edit(span_of(text, start, end), new)]))
    made = "".join(after["cells"][1].pop("source"))
    content["cells"][1].pop("source")
    newlines = NEWLINE.findall(text)
    new = new.replace("\n", newlines[0] if newlines else "\n")
    assert (after, made) == (content, text[:start] + new + text[end:])


def placed(edit: Edit, *cells: str) -> Edit | None:
    """An edit of the program of cells, in its cell; the Markdown cell is the first."""
    (program,) = Notebook(json.dumps(notebook("import torch", *cells)).encode()).programs
    return program.edit(edit)


def insertion(line: int, column: int, text: str) -> Edit:
    return Edit(Span(None, line, column, line, column), text)


def test_an_edit_has_its_place_in_one_cell() -> None:
    assert placed(insertion(3, 2, "!"), "a\nb") == Edit(Span(3, 2, 2, 2, 2), "!")
    assert placed(Edit(Span(None, 2, 1, 3, 2), ""), "a\nb") == Edit(Span(3, 1, 1, 2, 2), "")
    assert placed(Edit(Span(None, 2, 1, 3, 2), ""), "a", "b") is None


def test_a_line_below_the_last_of_a_cell_stays_in_it() -> None:
    behind = Edit(Span(None, 2, 2, 3, 1), "\nc\n")
    assert placed(behind, "a", "b") == Edit(Span(3, 1, 2, 1, 2), "\nc")


@pytest.mark.parametrize("column", [1, 4])
@pytest.mark.parametrize("magic", ["%cd ..", "!ls", "%%time\nf()", "x = !ls", "def f(:", "f()?"])
def test_what_python_does_not_see_is_no_place_for_an_edit(magic: str, column: int) -> None:
    assert placed(insertion(2, column, "!"), magic) == (
        Edit(Span(3, 1, 4, 1, 4), "!") if magic == "x = !ls" and column == 4 else None
    )


def test_a_timed_statement_is_a_place_for_an_edit() -> None:
    assert placed(insertion(2, 9, ".cpu()"), "%time y(x)") == Edit(Span(3, 1, 9, 1, 9), ".cpu()")


def test_an_import_stands_below_magics() -> None:
    edit = placed(insertion(2, 1, "import os\n"), "%%capture\n%cd ..\n\nimport math")
    assert edit == Edit(Span(3, 4, 1, 4, 1), "import os\n")


def test_a_cell_that_would_not_parse_any_more_is_noticed() -> None:
    whole, broken, open_ = (
        json.dumps(notebook(SETUP, source)).encode() for source in ("x = 1", "x y", "x =")
    )
    assert parses("nb.ipynb", broken, whole)
    assert parses("nb.ipynb", broken, broken)
    assert not parses("nb.ipynb", whole, broken)
    assert not parses("nb.ipynb", whole, open_)
