"""What somebody has configured, and nothing reads."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from devlint.run.outcome import Outcome
from devlint.settings import Configuration
from devlint.settings.option import options
from devlint.text.display_paths import shown
from devlint.text.reading import read
from devlint.text.suggestion import NEARLY_THE_SAME, suggestion

PREFIX = "DEVLINT_"
HEADER = re.compile(rb"^\s*\[\s*tool\.([\w-]+)", re.MULTILINE)


def misnamed(configuration: Configuration, environment: Mapping[str, str]) -> Iterator[str]:
    """Warnings of variables and tables of files whose names are nearly those of devlint."""
    known = {option.variable for option in options().values()}
    for name in environment:
        is_ours = name.startswith(PREFIX) and name not in known
        if is_ours and (hint := suggestion(name, known, NEARLY_THE_SAME)):
            yield f"warning: the environment variable {name} is not read{hint}"
    for path in configuration.passed:
        for tool in tools(path):
            if suggestion(tool, ["devlint"], NEARLY_THE_SAME):
                hint = "; did you mean [tool.devlint]?"
                yield f"warning: {shown(path)}: the table [tool.{tool}] is not read{hint}"


def tools(path: str) -> Iterable[str]:
    """Those that have tables, as far as these have headers; none of a file that is gone."""
    try:
        return [each.decode() for each in HEADER.findall(read(path))]
    except OSError:
        return ()


def unmatched(outcome: Outcome, configuration: Configuration) -> Iterator[str]:
    """Notes on globs of `per-file-ignores` for no file of a run."""
    from devlint.files.path_globs import Globs
    from devlint.run.plans import unnegated

    paths = [os.path.abspath(each) for each in outcome.paths]
    globs = (glob for each in configuration.scopes for glob, _ in each.settings.per_file_ignores)
    for glob in dict.fromkeys(globs):
        if not any(map(Globs((unnegated(glob),)).cover, paths)):
            yield f"note: per-file-ignores: none of the files checked matches '{glob.pattern}'"
