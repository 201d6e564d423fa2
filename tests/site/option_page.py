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
    title, *told = page(option)
    return "\n".join([f"#{title}", told[0], *(f"- {line}" for line in told[1:]), ""])
