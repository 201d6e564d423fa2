"""`devlint completion`: what makes a shell complete the command."""

from __future__ import annotations

import click

from devlint.cli.output import show

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script by which a shell completes the command.

    In ~/.bashrc or ~/.zshrc: eval "$(devlint completion bash)", or zsh; for fish:
    devlint completion fish > ~/.config/fish/completions/devlint.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"this version of click knows no completion of {shell}")
    show([kind(context.find_root().command, {}, "devlint", "_DEVLINT_COMPLETE").source()])
