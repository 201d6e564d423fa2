"""The packages that a program imports in any case and that are not installed."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator

from devlint.confirm.dry_run.preparation.module_search import found_module
from devlint.confirm.dry_run.preparation.program_file import program_file
from devlint.confirm.dry_run.report.document_places import texts, where
from devlint.confirm.dry_run.request import Assignment

#: What may make modules importable that are not there before the program runs.
_CHANGES = re.compile(
    r"\bsys\s*\.\s*(path|modules|meta_path|path_hooks)\b|\bfrom\s+sys\s+import\b"
    r"|\baddsitedir\b|\bpip\b|\bconda\b|\bchdir\b|\bexec[vl]"
)


def missing_imports(assignment: Assignment, project: Iterable[str]) -> Iterator[str]:
    """A line for each, with the place of the import; none where the program may yet provide it.

    `project`: the files that it consists of.
    """
    is_module = assignment.is_module
    script = program_file(assignment.program, is_module=is_module)
    if script is None or any(map(_may_provide, {script, *project})):
        return
    folder = os.getcwd() if is_module else os.path.dirname(os.path.abspath(script))
    for name, line in _required(_text(script)):
        if found_module(name, folder) is None:
            place = where((os.path.abspath(script), line, ""))
            yield f"{place} imports `{name}`, which is not installed here"


def _may_provide(path: str) -> bool:
    return _CHANGES.search(_text(path)) is not None


def _text(path: str) -> str:
    return "".join(texts(os.path.abspath(path)))


def _required(text: str) -> Iterator[tuple[str, int]]:
    """The packages that the outermost statements import, and the lines of these; none below `if`,
    `try` or `with`, which may do without."""
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return
    for each in statements:
        if isinstance(each, ast.Import):
            yield from ((alias.name.partition(".")[0], each.lineno) for alias in each.names)
        elif isinstance(each, ast.ImportFrom) and each.module and not each.level:
            yield each.module.partition(".")[0], each.lineno
