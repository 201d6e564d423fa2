"""HTML of text that may hold anything: nothing in it is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from devlint.report.text import visible

INLINE = re.compile(r"`(?P<code>[^`]+)`|(?<!\w)\*(?P<stressed>[^*]+)\*(?!\w)")
FENCE = re.compile(r"```\w*\n(.*?)^```\n?", re.M | re.S)


def plain(text: str) -> str:
    """Text for an element or an attribute; tabs stay."""
    return "\t".join(escape(visible(part)) for part in text.split("\t"))


def prose(text: str) -> str:
    """A message, with its `code` and *stress*, on one line."""
    shown = escape(visible(" ".join(text.split())))
    return INLINE.sub(inline, shown)


def inline(match: re.Match[str]) -> str:
    if match["code"]:
        return f"<code>{match['code']}</code>"
    return f"<em>{match['stressed']}</em>"


def markdown(page: str) -> Iterator[str]:
    """The page of a rule: headings, paragraphs and blocks of code."""
    for index, part in enumerate(FENCE.split(page)):
        if index % 2:
            code = "\n".join(map(plain, part.rstrip("\n").split("\n")))
            yield f'<pre class="example" tabindex="0">{code}</pre>'
            continue
        for paragraph in filter(None, map(str.strip, part.split("\n\n"))):
            mark, _, heading = paragraph.partition(" ")
            is_heading = mark == "##"
            yield f"<h4>{prose(heading)}</h4>" if is_heading else f"<p>{prose(paragraph)}</p>"
