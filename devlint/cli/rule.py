"""`devlint rule`: the page of a rule."""

from __future__ import annotations

import click

from devlint.cli.options import rules_like
from devlint.cli.output import show
from devlint.rule.page import explanation
from devlint.rule.registry import every_rule, rule_named


@click.command()
@click.argument("word", metavar="CODE|NAME", required=False, shell_complete=rules_like)
@click.option("--all", "every", is_flag=True, help="Show the page of every rule.")
def rule(word: str | None, every: bool) -> None:
    """Explain a rule, in Markdown."""
    known = every_rule()
    if (word is None) != every:
        raise click.UsageError("give either a rule's code or name, or --all")
    shown = known if word is None else [rule_named(word, known)]
    show(f"# {each.code} {each.name}\n\n{explanation(each)}\n" for each in shown)
