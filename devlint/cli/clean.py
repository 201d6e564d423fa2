"""`devlint clean`: what earlier runs have left is removed."""

from __future__ import annotations

from typing import Any

import click

from devlint.cache.store import NoCacheError, told
from devlint.cli.options import CACHE_DIR, CONFIG, Command, given
from devlint.cli.output import complain
from devlint.run.start import store_of
from devlint.settings import Configuration
from devlint.text.display_paths import shown


def placed(command: Command) -> Command:
    for option in (CACHE_DIR, *CONFIG):
        command = option(command)
    return command


@click.command(short_help="Remove what earlier runs have kept.")
@placed
def clean(isolated: bool, config: tuple[str, ...], **options: Any) -> int:
    """Remove the cache of the working directory.

    Exit code: 0, also where there is none; 2 when it could not be removed.
    """
    store = store_of(Configuration(given(options), isolated, config))
    folder = shown(store.folder)
    try:
        is_removed = store.clean()
    except (NoCacheError, OSError) as error:
        raise click.ClickException(f"cannot remove {folder}: {told(error)}") from error
    complain([f"Removed {folder}." if is_removed else f"There is no {folder}."])
    return 0
