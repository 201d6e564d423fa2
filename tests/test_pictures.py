"""The pictures of the documents show what devlint says today."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.documents import DOCUMENTS, ROOT
from tests.pictures.drawn import IMAGES, pictures
from tests.pictures.lives import lives

SVG = "{http://www.w3.org/2000/svg}"
PICTURES = pictures()
every_picture = pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
HEAD = """\
import torch
from torch import nn

net = nn.Linear(4, 4)
net.to("cuda")
net.head = nn.Linear(4, 2)
net(torch.ones(1, 4, device="cuda"))
"""


@every_picture
def test_a_picture_is_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PICTURES[path], "run `make pictures`"


def test_no_picture_is_left_over() -> None:
    assert {*IMAGES.iterdir()} == PICTURES.keys()


@every_picture
def test_it_stands_by_itself_on_dark_and_on_light_pages(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in text
    assert "url(" not in text
    assert "href" not in text
    assert ElementTree.fromstring(text).tag == f"{SVG}svg"


@every_picture
def test_a_document_shows_it(path: Path) -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS]
    assert any(f"images/{path.name})" in text for text in texts)


def test_the_readme_has_the_finding_in_words() -> None:
    drawn = ElementTree.fromstring(PICTURES[IMAGES / "finding.svg"])
    lines = ["".join(each.itertext()) for each in drawn.iter(f"{SVG}text")]
    assert any(each.startswith("DEV101 error") for each in lines)


def test_a_value_is_in_the_lane_that_explain_says_and_comes_from_where_it_was_put() -> None:
    told = lives("head.py", HEAD)
    where = {(stay.line, stay.name): stay.is_on_cpu for stay in told.stays}
    assert where[4, "net"]
    assert where[5, "net"]
    assert not where[5, '.to("cuda")']
    assert where[6, "net.head"]
    assert not where[6, "net"]
    ways = {(one.line, one.name, other.line, other.name) for one, other in told.ways}
    assert (5, "net", 5, '.to("cuda")') in ways
    assert (5, '.to("cuda")', 6, "net") in ways


def test_a_line_that_raises_names_what_is_at_fault() -> None:
    program = HEAD.replace("net(torch", "y = net(torch")
    assert {
        line: [stay.name for stay in stays]
        for line, stays in lives("head.py", program).failures.items()
    } == {7: ["net.head"]}
