"""The table of presumptions, in Markdown.

`python -m devlint.testing.presumption_table docs/confidence.md` brings a document up to date.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.rule.presumption import Presumption
from devlint.testing.table import main, shown, table


def rows() -> Iterator[tuple[str, ...]]:
    for each in Presumption:
        yield f"`{each.key}`", each.confidence, each.claim


def updated(document: str) -> str:
    """The document with the table of today's presumptions."""
    head = "name", "confidence", "presumed is that"
    return shown(document, "presumptions", table(head, rows()))


if __name__ == "__main__":
    main(updated)
