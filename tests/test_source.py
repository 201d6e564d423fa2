"""Bytes become text as Python reads them."""

from __future__ import annotations

import pytest

from devlint.source import UndecodableError, decode


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (b"x = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        ("x = 'é'\r\n".encode(), "x = 'é'\r\n"),
    ],
)
def test_decoding_follows_mark_and_comment(source: bytes, text: str) -> None:
    assert decode(source) == text


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"x = 1\ny = '\xe9'\n", "not valid utf-8: .*, line 2"),
        (b"# coding: martian\n", "unknown encoding: .*martian"),
        (b"x = 1\0\n", "null bytes"),
    ],
)
def test_what_is_no_text_says_why(source: bytes, reason: str) -> None:
    with pytest.raises(UndecodableError, match=reason):
        decode(source)
