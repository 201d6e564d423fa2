"""The programs of pages that mark in comments where findings stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.documents import blocks

PAGES = ("docs/why.md", "docs/flux.md")
#: The page that shows parts of programs, each before and after it is mended.
EXAMPLES = "docs/examples.md"
MARK = re.compile(r"# (?=DEV\d{3}$)", re.M)
PART = re.compile(r"^# (?:before|after)\b.*\n", re.M)
IMPORTS = "import torch\nfrom torch import nn\n\n"
PROGRAMS = [block for block in blocks("python") if block.document in PAGES]


def marked(text: str) -> str:
    """The program with marks as specs have them."""
    return MARK.sub("# expect: ", text)


def parts() -> Iterator[tuple[str, str]]:
    """Each part of a program with a name of its own."""
    for block in blocks("python"):
        if block.document == EXAMPLES:
            titles = (title.strip("#\n ") for title in PART.findall(block.text))
            texts = PART.split(block.text)[1:]
            for title, text in zip(titles, texts, strict=True):
                yield f"{block.line}, {title}", IMPORTS + text
