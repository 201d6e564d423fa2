"""devlint as a plugin of flake8: what it finds in a file is what flake8 reports."""

from __future__ import annotations

import ast
from argparse import Namespace
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any, ClassVar

from devlint.rule.registry import RulePackError, UnknownRuleError
from devlint.run.plans import Plans
from devlint.run.session import run_on
from devlint.settings import Configuration, ConfigurationError

#: flake8 names every file one by one; what devlint's configuration excludes stays out.
SETTINGS = {"force_exclude": True}


class Plugin:
    """flake8 calls it once for each file. Comments that silence devlint are heeded here, so that
    they mean what they mean in `devlint check`; flake8 looks at `# noqa` again by itself."""

    name = "devlint"
    version = version("devlint")
    configuration: ClassVar[Configuration] = Configuration(SETTINGS)

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self.filename = filename
        self.lines = lines

    @classmethod
    def parse_options(cls, options: Namespace) -> None:
        """Raises an error of flake8's where the configuration of devlint cannot be followed."""
        ignore = {"ignore_noqa": True} if options.disable_noqa else {}
        cls.configuration = Configuration({**SETTINGS, **ignore})
        try:
            Plans(cls.configuration)
        except (ConfigurationError, RulePackError, UnknownRuleError) as error:
            from flake8.exceptions import ExecutionError

            raise ExecutionError(f"devlint: {error.args[0]}") from error

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Lines count from 1, columns from 0."""
        outcome = run_on(self.filename, "".join(self.lines).encode(), self.configuration)
        for each in outcome.findings:
            message = " ".join(each.message.split())
            yield each.span.line, each.span.column - 1, f"{each.code} {message}", type(self)
