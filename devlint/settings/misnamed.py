"""Variables and tables whose names are nearly those of devlint, so that nothing reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from devlint.settings.configuration import Configuration
from devlint.settings.option import PREFIX, options
from devlint.text.display_paths import shown
from devlint.text.reading import read
from devlint.text.suggestion import NEARLY_THE_SAME, suggestion

TOOL = b"[tool."


def misnamed(configuration: Configuration, environment: Mapping[str, str]) -> Iterator[str]:
    """A warning for each."""
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
    """Those that have tables with headers, each once; none of a file that is gone."""
    try:
        lines = read(path).splitlines()
    except OSError:
        return ()
    headers = (each.strip() for each in lines)
    named = (each.removeprefix(TOOL) for each in headers if each.startswith(TOOL))
    names = (each.partition(b"]")[0].partition(b".")[0] for each in named)
    return dict.fromkeys(each.decode(errors="replace") for each in names)
