"""`devlint new-rule`: the files of a rule, to begin with."""

from __future__ import annotations

import os

import click

from devlint.cli.output import complain
from devlint.text.display_paths import shown


@click.command(name="new-rule", short_help="Write the files of a new rule of your own.")
@click.argument("name")
@click.option(
    "--pack",
    "folder",
    metavar="DIR",
    default=".",
    help="The folder of the rule pack, with a pyproject.toml; a new pack where it has none.",
)
def new_rule(name: str, folder: str) -> None:
    """Write a rule, its page, a spec and a test that pass, to be changed.

    NAME is what the rule will be called, such as lost-batch. Nothing is overwritten.
    """
    from devlint.scaffold.pack import Pack, ScaffoldError
    from devlint.scaffold.pack import new_rule as made

    try:
        pack = Pack.at(folder)
        files = made(pack, name)
        for path, text in files.items():
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "x", encoding="utf-8") as file:
                file.write(text)
    except ScaffoldError as error:
        raise click.ClickException(str(error)) from error
    except (OSError, ValueError) as error:
        raise click.ClickException(f"cannot write a rule to {shown(folder)}: {error}") from error
    complain([*(f"Wrote {shown(path)}." for path in files), *following(folder)])


def following(folder: str) -> list[str]:
    where = "." if folder == "." else shown(folder)
    return [
        f"Install the pack (`pip install -e {where}`) and run its tests (`pytest {where}`).",
        "`devlint rule --all` has pages to learn from; rules/README.md of devlint says more.",
    ]
