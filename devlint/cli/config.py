"""`devlint config`: what can be configured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from devlint.cli.output import show

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from devlint.settings.option import Option


def keys_like(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from devlint.settings.option import options

    known = options().values()
    return [CompletionItem(e.key, help=e.help) for e in known if e.key.startswith(incomplete)]


@click.command(short_help="List what can be configured, or explain a key.")
@click.argument("key", required=False, shell_complete=keys_like)
def config(key: str | None) -> None:
    """List the keys of configuration files, or explain one of them."""
    from devlint.settings.option import options
    from devlint.text.suggestion import suggestion

    known = {each.key: each for each in options().values()}
    if key is None:
        width = max(map(len, known))
        show(f"{name:<{width}}  {each.help}" for name, each in known.items())
    elif (option := known.get(key.replace("_", "-").lower())) is not None:
        show(page(option))
    else:
        raise click.UsageError(f"no option is called '{key}'{suggestion(key, known)}")


def page(option: Option) -> Iterator[str]:
    """What there is to know of a key."""
    from devlint.cli.check import check
    from devlint.settings.toml import written

    default = "none" if option.default is None else written(option.kind.plain(option.default))
    yield f"# {option.key}\n"
    yield f"{option.help}\n"
    yield f"Takes: {option.kind.words}"
    yield f"Default: {default}"
    yield f"In pyproject.toml: {option.key} = .. below [tool.devlint]; in devlint.toml at the top"
    for each in check.params:
        if each.name == option.name:
            yield f"On the command line: {each.opts[0]}; in the environment: {each.envvar}"
