"""What a user can mend: errors that are told in one line, without a traceback."""

from __future__ import annotations

import click
from click.core import ParameterSource

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


def variable_of(error: click.BadParameter) -> str | None:
    """The environment variable that a value has come from, if it has."""
    context, option = error.ctx, error.param
    if context is None or option is None or option.name is None:
        return None
    is_set = context.get_parameter_source(option.name) is ParameterSource.ENVIRONMENT
    return str(option.envvar) if is_set else None


def told(error: Exception) -> str:
    if isinstance(error, click.BadParameter) and (variable := variable_of(error)):
        error.param_hint = f"the environment variable {variable}"
    if isinstance(error, click.ClickException):
        return f"error: {error.format_message()}"
    return f"error: {error.args[0]}"
