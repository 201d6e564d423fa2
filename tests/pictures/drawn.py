"""Which pictures there are: what the README shows in a terminal, and the programs of one page."""

from __future__ import annotations

from pathlib import Path

from tests.documents import ROOT, blocks
from tests.pictures import lanes, terminal

IMAGES = ROOT / "docs" / "images"
#: The page each program of which has a picture, by the name of its file.
PAGE = "docs/why.md"


def pictures() -> dict[Path, str]:
    programs = [block for block in blocks("python") if block.document == PAGE and block.file]
    drawn = {
        IMAGES / f"{Path(block.file).stem}.svg": lanes.picture(block.file, block.text)
        for block in programs
        if block.file
    }
    return {IMAGES / "finding.svg": terminal.picture()} | drawn
