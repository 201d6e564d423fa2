"""`devlint schema`: what configuration files may say, for editors and validators."""

from __future__ import annotations

import click

from devlint.cli.output import show


@click.command()
def schema() -> None:
    """Write the JSON Schema of configuration files."""
    import json

    from devlint.settings.schema import schema

    show([json.dumps(schema(), indent=2)])
