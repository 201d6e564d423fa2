"""`devlint rules`: which rules there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from devlint.cli.options import Command, rules_like
from devlint.cli.output import show
from devlint.cli.values import split

if TYPE_CHECKING:
    from devlint.rule.registry import AnyRule


def written_as(plain: str) -> Callable[[Command], Command]:
    """The option by which what is said of rules is for people or for programs."""
    return click.option(
        "--output-format",
        type=click.Choice([plain, "json"]),
        default=plain,
        help="How it is written.",
        show_default=True,
    )


@click.command(short_help="List the rules.")
@click.argument(
    "selectors", metavar="[RULES]...", nargs=-1, callback=split, shell_complete=rules_like
)
@written_as("text")
def rules(selectors: tuple[str, ...], output_format: str) -> None:
    """List all rules, or those that codes, prefixes or names select."""
    from devlint.rule.registry import every_rule

    listed = selected(every_rule(), selectors or ("ALL",))
    show(in_json(listed) if output_format == "json" else table(listed))


def selected(known: Sequence[AnyRule], selectors: Sequence[str]) -> list[AnyRule]:
    """Those of the rules that selectors fit, in their order."""
    from devlint.rule.registry import matching

    found = matching(known, selectors)
    return [each for each in known if each in found]


def table(rules: Sequence[AnyRule]) -> Iterator[str]:
    """A line for each rule."""
    name = max(len(each.name) for each in rules)
    code = max(len(each.code) for each in rules)
    severity = max(len(each.severity) for each in rules)
    for each in rules:
        off = " (opt-in)" if each.is_opt_in else ""
        front = f"{each.code:<{code}}  {each.name:<{name}}  {each.severity:<{severity}}"
        yield f"{front}  {each.summary}{off}"


def in_json(rules: Sequence[AnyRule]) -> Iterator[str]:
    """What programs may want to know of rules, with their pages in Markdown."""
    import json

    from devlint.rule.page import explanation

    told = [
        {
            "code": each.code,
            "name": each.name,
            "summary": each.summary,
            "severity": each.severity,
            "is_default": not each.is_opt_in,
            "explanation": explanation(each),
        }
        for each in rules
    ]
    yield json.dumps(told, indent=2)
