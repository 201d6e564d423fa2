"""The programs of pages that mark in comments where findings stand."""

from __future__ import annotations

import re

import pytest

from tests.documents import Block, blocks

PAGES = ("docs/why.md", "docs/flux.md")
MARK = re.compile(r"# (?=DEV\d{3}$)", re.M)
PROGRAMS = [block for block in blocks("python") if block.document in PAGES]


def marked(block: Block) -> str:
    """The program with marks as specs have them."""
    return MARK.sub("# expect: ", block.text)


def named(block: Block) -> str | None:
    return block.file


every_program = pytest.mark.parametrize("block", PROGRAMS, ids=named)
