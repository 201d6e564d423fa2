"""The page of the commands, as their help has them."""

from __future__ import annotations

import click

from devlint.cli import VERBS, main


def command_page() -> str:
    return "\n".join(["# Commands\n", *map(section, VERBS)])


def section(verb: str) -> str:
    root = click.Context(main, info_name="devlint")
    command = main.get_command(root, verb)
    assert command is not None
    shown = command.get_help(click.Context(command, info_name=verb, parent=root))
    return f"## devlint {verb}\n\n```text\n{shown}\n```\n"
