"""What a user can mend: errors that are told in one line, without a traceback."""

from __future__ import annotations

import click

from devlint.findings.changed_lines import RevisionError
from devlint.rule.registry import RulePackError, UnknownRuleError
from devlint.settings import ConfigurationError

ERRORS = (
    click.ClickException,
    ConfigurationError,
    RevisionError,
    RulePackError,
    UnknownRuleError,
)


def told(error: Exception) -> str:
    if isinstance(error, click.ClickException):
        return f"error: {error.format_message()}"
    return f"error: {error.args[0]}"
