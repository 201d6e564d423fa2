"""The page of the options of configuration files, as `devlint config KEY` tells them."""

from __future__ import annotations

from devlint.cli.config import page
from devlint.settings.option import Option, options

HEAD = """\
# Options

What [configuration files](configuration.md#which-file-counts) may say. `devlint config KEY` tells
the same.
"""


def option_page() -> str:
    return "\n".join([HEAD, *map(section, options().values())])


def section(option: Option) -> str:
    title, meaning, *told = page(option)
    return "\n".join([f"#{title}", meaning, *map(item, told), ""])


def item(told: str) -> str:
    """A line as one of a list; a default may hold what Markdown would take for marks."""
    name, _, value = told.partition(": ")
    return f"- {name}: `{value}`" if name == "Default" else f"- {told}"
