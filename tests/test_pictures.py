"""The picture of the README shows what devlint prints today."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.documents import ROOT
from tests.pictures import PICTURE, picture

SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_is_current() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), "run `make pictures`"


def test_it_stands_by_itself_on_dark_and_on_light_pages() -> None:
    text = PICTURE.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in text
    assert "url(" not in text
    assert "href" not in text
    drawn = ElementTree.fromstring(text)
    lines = ["".join(each.itertext()) for each in drawn.iter(f"{SVG}text")]
    assert any(each.startswith("DEV101 error") for each in lines)


def test_the_readme_shows_it() -> None:
    shown = f"]({PICTURE.relative_to(ROOT).as_posix()})"
    assert shown in (ROOT / "README.md").read_text(encoding="utf-8")
