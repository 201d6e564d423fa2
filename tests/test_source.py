"""Bytes become text as Python reads them."""

from __future__ import annotations

import pytest

from devlint.text.source_text import UndecodableError, UnwritableError, decode, encode


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (b"x = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        ("x = 'é'\r\n".encode(), "x = 'é'\r\n"),
        (b"# coding: latin-1\rx = '\xe9'\r", "# coding: latin-1\rx = 'é'\r"),
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


@pytest.mark.parametrize("data", [b"# coding: latin-1\n# \xe9\n", b"\xef\xbb\xbfx = 1\n", b""])
def test_encoding_gives_the_bytes_back(data: bytes) -> None:
    assert encode(decode(data), data) == data


def test_what_the_encoding_lacks_is_not_written() -> None:
    with pytest.raises(UnwritableError, match="`é` cannot be written in ascii"):
        encode("x = 'é'\n", b"# coding: ascii\n")


def test_bytes_that_would_be_spelled_anew_are_not_written() -> None:
    data = b"# coding: cp932\nx = '\xfa\x54'\n"
    assert decode(data).encode("cp932") != data
    with pytest.raises(UnwritableError, match="more than one way"):
        encode(decode(data), data)
