"""Tables in Markdown, and the documents that show them between two markers."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shown(document: str, name: str, content: str) -> str:
    """The document with the content between its markers of this name; `ValueError` without them."""
    markers = rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)"
    text, count = re.subn(markers, lambda _: content, document, flags=re.S)
    if count != 1:
        raise ValueError(f"{count} places for the table of {name}, not one")
    return text


def main(updated: Callable[[str], str]) -> None:
    """Bring the documents up to date that the command names."""
    for path in map(Path, sys.argv[1:]):
        path.write_text(updated(path.read_text()))
