"""The options of `devlint check`, and of what else reports findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from devlint.cli.values import by_glob, split, stated
from devlint.settings.kind import Choice, Count, Flag, Globs, Kind, Packages, Strings, Table
from devlint.settings.option import Option
from devlint.settings.option import options as configurable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])
CONFIGURABLE = configurable()


def rules_like(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The codes and names of rules that complete the last part of a list."""
    from click.shell_completion import CompletionItem

    from devlint.rule.registry import load_rules

    before, comma, last = incomplete.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{word}", help=rule.summary)
        for rule in load_rules()
        for word in (rule.code, rule.name)
        if word.startswith(last)
    ]


class Switch(click.Option):
    """An option with an opposite, `--no-...`, that `--help` does not list."""

    def get_help_record(self, context: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(context)
        return record and (self.opts[0], record[1])


class AtLeast(click.IntRange):
    """The name is what errors say that a text is not."""

    name = "whole number"


def configured(name: str, **attributes: Any) -> Callable[[Command], Command]:
    """An option that configuration files know as well."""
    known = CONFIGURABLE[name.removeprefix("--").replace("-", "_")]
    own = {"help": told(known), "envvar": known.variable}
    attributes = {**own, **declaration(known.kind), **attributes}
    switch = f"{name}/--no-{name.removeprefix('--')}" if isinstance(known.kind, Flag) else name
    return click.option(switch, **attributes)


def told(known: Option) -> str:
    if not isinstance(known.kind, Choice):
        return f"{known.help}  [default: on]" if known.default is True else known.help
    values = ", ".join(known.kind.values)
    return f"{known.help.rstrip('.')}: {values}.  [default: {known.default}]"


def declaration(kind: Kind) -> dict[str, Any]:
    """How click takes values of a kind."""
    if isinstance(kind, Flag):
        return {"default": None, "cls": Switch}
    if isinstance(kind, Count):
        return {"type": AtLeast(1), "metavar": "N"}
    if isinstance(kind, Choice):
        return {"type": click.Choice([*kind.values]), "metavar": "CHOICE"}
    if isinstance(kind, Globs):
        return {"multiple": True, "metavar": "GLOB"}
    if isinstance(kind, Table):
        return {"multiple": True, "callback": by_glob, "metavar": "GLOB:RULES"}
    if isinstance(kind, Packages):
        return {"multiple": True, "callback": split, "metavar": "PACKAGES"}
    if isinstance(kind, Strings):
        names = {"metavar": "RULES", "shell_complete": rules_like}
        return {"multiple": True, "callback": split, **names}
    return {"metavar": "FILE", "type": click.Path()}


RULES = (
    configured("--select"),
    configured("--extend-select"),
    configured("--ignore"),
    configured("--per-file-ignores"),
    configured("--confidence"),
)
#: What goes for each of many projects.
PROJECT_FILES = (
    configured("--include"),
    configured("--extend-include"),
    configured("--exclude"),
    configured("--extend-exclude"),
    configured("--respect-gitignore"),
    configured("--follow-imports"),
)
GLOBS = (*PROJECT_FILES, configured("--force-exclude"), configured("--follow-installed"))
SHOW_FILES = click.option(
    "--show-files", is_flag=True, help="List the files that would be checked."
)
STDIN_FILENAME = click.option(
    "--stdin-filename",
    type=click.Path(),
    metavar="PATH",
    callback=stated,
    help="The path of what standard input (-) gives: for its settings, its kind, the report.",
)
CONFIG_FILE = click.option(
    "--config",
    multiple=True,
    type=click.Path(),
    metavar="FILE|KEY=VALUE",
    help="A configuration file instead of those found, or an option of one, as TOML.",
)
CONFIG = (
    CONFIG_FILE,
    click.option("--isolated", is_flag=True, help="Read no configuration files."),
)
SHOW_SETTINGS = click.option(
    "--show-settings", is_flag=True, help="Show what holds for each path, as TOML."
)
FIXES = (
    configured("--fix"),
    configured("--unsafe-fixes"),
    configured("--fix-only"),
    configured("--show-fixes"),
    click.option("--diff", is_flag=True, help="Show what fixes would change, and write nothing."),
    configured("--fixable"),
    configured("--unfixable"),
)
IGNORE_NOQA = configured("--ignore-noqa")
SILENCE = (
    IGNORE_NOQA,
    click.option(
        "--add-noqa",
        is_flag=True,
        help="Silence what is found by comments, `# devlint: ignore[CODE]`; with --diff only show.",
    ),
    click.option("--reason", metavar="TEXT", default="", help="Text to append to each comment."),
)
BASELINE = configured("--baseline")
DIFF_BASE = click.option(
    "--diff-base",
    metavar="REV",
    callback=stated,
    help="Report only what lies on lines changed since a revision of git.",
)
SCOPE = (
    BASELINE,
    click.option(
        "--write-baseline",
        type=click.Path(),
        metavar="FILE",
        callback=stated,
        help="Record all findings in FILE, and report none.",
    ),
    DIFF_BASE,
)
REPORT = (
    configured("--output-format", metavar="FORMAT"),
    click.option(
        "-o",
        "--output-file",
        type=click.Path(),
        metavar="FILE",
        callback=stated,
        help="Write to this file instead, whole or not at all.",
    ),
)
COLOUR = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    envvar="DEVLINT_COLOR",
    metavar="WHEN",
    help="Whether the report is coloured: auto, always, never.  [default: auto]",
)
LOUDNESS = (
    click.option("-q", "--quiet", is_flag=True, help="Print findings only, without a summary."),
    click.option("-s", "--silent", is_flag=True, help="Print nothing; only set the exit code."),
)
STATISTICS = click.option(
    "--statistics", is_flag=True, help="Count the findings of each rule instead."
)
#: How long a program may take; no system can wait for infinity.
SECONDS = click.FloatRange(0, 10_000_000, min_open=True)
EXIT_CODE = (
    configured("--fail-level", metavar="SEVERITY"),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings."),
)
VERBOSE = click.option(
    "-v", "--verbose", is_flag=True, help="Say what was done, and show tracebacks."
)
CACHE_DIR = configured("--cache-dir", metavar="FOLDER")
RUN = (
    *EXIT_CODE,
    click.option("--watch", is_flag=True, help="Check again whenever a file changes."),
    click.option(
        "--no-screen",
        "screen",
        flag_value=False,
        default=None,
        help="Send every file through LibCST (slow).",
    ),
    configured("--jobs"),
    configured("--cache"),
    CACHE_DIR,
    VERBOSE,
)
#: Options in order, below the titles that they have in the help.
Sections: TypeAlias = Mapping[str, Sequence[Callable[[Any], Any]]]
SECTIONS: Sections = {
    "Rules": RULES,
    "Files": (*GLOBS, SHOW_FILES, STDIN_FILENAME),
    "Configuration": (*CONFIG, SHOW_SETTINGS),
    "Fixes": FIXES,
    "Comments": SILENCE,
    "Known findings": SCOPE,
    "Output": (*REPORT, COLOUR, *LOUDNESS, STATISTICS),
    "Run": RUN,
}


class Sectioned(click.Command):
    """A command whose help lists its options in sections; the last one is told of `--help` too."""

    def __init__(self, *args: Any, sections: Sections, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = (
            each.get_help_record(ctx)
            for each in self.get_params(ctx)
            if isinstance(each, click.Option)
        )
        listed = (each for each in records if each is not None)
        last = [*self.sections][-1]
        for title, options in self.sections.items():
            with formatter.section(title):
                number = None if title == last else len(options)
                formatter.write_dl([*islice(listed, number)], col_max=26)


def options(sections: Sections) -> Callable[[Command], Command]:
    """Every option of all sections, in order."""

    def added(command: Command) -> Command:
        for option in reversed([each for section in sections.values() for each in section]):
            command = option(command)
        return command

    return added


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the command line gives.

    Comments are written where none silences a finding, so that those that do are heeded.
    """
    said = {
        n: value
        for n, value in options.items()
        if n in CONFIGURABLE and value not in (None, (), {})
    }
    return {**said, "ignore_noqa": False} if options.get("add_noqa") else said
