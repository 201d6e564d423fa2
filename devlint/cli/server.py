"""`devlint server`: findings while one types."""

from __future__ import annotations

import sys

import click


@click.command(short_help="Serve editors by the Language Server Protocol.")
def server() -> None:
    """Serve editors over stdin and stdout by the Language Server Protocol."""
    try:
        from devlint.server.requests import server as language_server
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("lsprotocol", "pygls"):
            raise
        raise click.ClickException(
            f"the language server needs {error.name}; run `pip install 'devlint[lsp]'`"
        ) from error
    if sys.stdin is None:
        raise click.ClickException("cannot read: standard input is closed")
    language_server().start_io()
