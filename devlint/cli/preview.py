"""What a run would look at, and how: `--show-files` and `--show-settings`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from devlint.cli.output import complain, show
from devlint.files.discover import discover
from devlint.report.text import visible
from devlint.settings import Configuration

if TYPE_CHECKING:
    from devlint.run.plans import Plans


def show_files(paths: Sequence[str], configuration: Configuration) -> int:
    """List the files that would be checked; the exit code."""
    discovery = discover(paths, configuration)
    show(map(visible, discovery.files))
    complain(f"error: {line}" for line in discovery.complaints)
    return 2 if discovery.complaints else 0


def show_settings(paths: Sequence[str], configuration: Configuration) -> int:
    """List what holds for each path; the exit code."""
    from devlint.run.plans import Plans

    plans = Plans(configuration)
    show(line for path in paths for line in settings(path, configuration, plans))
    return 0


def settings(path: str, configuration: Configuration, plans: Plans) -> Iterator[str]:
    """The settings of a path as TOML and, of a file, the rules that run in it."""
    from devlint.settings.toml import lines

    is_folder = os.path.isdir(path)
    scope = configuration.scope(os.path.abspath(path)) if is_folder else configuration.of(path)
    origins = [layer.origin for layer in scope.layers if layer.values]
    yield f"# {visible(path)}: {', then '.join(origins) or 'the defaults'}"
    yield from lines(scope.settings)
    if not is_folder:
        yield f"# The rules that run: {', '.join(rule.code for rule in plans.plan(path).active)}"
