"""`devlint rule`: the page of a rule."""

from __future__ import annotations

import click

from devlint.cli.options import rules_like
from devlint.cli.output import show
from devlint.cli.rules import in_json, selected, table, written_as
from devlint.rule.page import explanation
from devlint.rule.registry import AnyRule, UnknownRuleError, every_rule, rule_named


@click.command()
@click.argument("word", metavar="CODE|NAME", required=False, shell_complete=rules_like)
@click.option("--all", "every", is_flag=True, help="Show the page of every rule.")
@written_as("markdown")
def rule(word: str | None, every: bool, output_format: str) -> None:
    """Explain a rule; of the start of codes, such as DEV1, list the rules."""
    if (word is None) != every:
        raise click.UsageError("give either a rule's code or name, or --all")
    known = every_rule()
    shown = known if word is None else named(word, known)
    if output_format == "json":
        show(in_json(shown))
    elif word is not None and len(shown) > 1:
        show(table(shown))
    else:
        show(f"# {each.code} {each.name}\n\n{explanation(each)}\n" for each in shown)


def named(word: str, known: list[AnyRule]) -> list[AnyRule]:
    """The rule that a word names, or those whose codes start with it."""
    try:
        return [rule_named(word, known)]
    except UnknownRuleError:
        return selected(known, [word])
