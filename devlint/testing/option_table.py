"""The table of the options of configuration files, in Markdown.

`python -m devlint.testing.option_table docs/configuration.md` brings a document up to date.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.settings.option import Option, options
from devlint.settings.toml import written
from devlint.testing.table import main, shown, table


def rows() -> Iterator[tuple[str, ...]]:
    for option in options().values():
        yield f"`{option.key}`", option.kind.words, default(option), option.help


def default(option: Option) -> str:
    if option.default is None:
        return ""
    return f"`{written(option.kind.plain(option.default))}`"


def updated(document: str) -> str:
    """The document with the table of today's options."""
    return shown(document, "options", table(("key", "takes", "default", "meaning"), rows()))


if __name__ == "__main__":
    main(updated)
