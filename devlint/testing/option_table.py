"""The table of the options of configuration files, in Markdown.

`python -m devlint.testing.option_table docs/configuration.md` brings a document up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from devlint.settings.option import Option, options
from devlint.settings.toml import written
from devlint.testing.rule_table import region


def rows() -> Iterator[tuple[str, ...]]:
    yield "key", "takes", "default", "meaning"
    yield ("---",) * 4
    for option in options().values():
        yield f"`{option.key}`", option.kind.words, default(option), option.help


def default(option: Option) -> str:
    if option.default is None:
        return ""
    return f"`{written(option.kind.plain(option.default))}`"


def updated(document: str) -> str:
    """The document with the table of today's options."""
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows())
    return region(document, "options", table)


def main(paths: Iterable[str]) -> None:
    for path in map(Path, paths):
        path.write_text(updated(path.read_text()))


if __name__ == "__main__":
    main(sys.argv[1:])
