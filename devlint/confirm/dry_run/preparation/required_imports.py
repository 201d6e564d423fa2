"""The packages that a program imports in any case and that are not installed."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator

from devlint.confirm.device_tags.provenance import is_users
from devlint.confirm.dry_run.preparation.module_search import found_module, main_module
from devlint.confirm.dry_run.report.document_places import NOTEBOOK, named, texts, where
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
    program, is_module = assignment.program, assignment.is_module
    script = _module_file(program) if is_module else _script(program)
    if script is None or any(map(_may_provide, {script, *project})):
        return
    folder = os.getcwd() if is_module else os.path.dirname(os.path.abspath(script))
    for name, line in _required(_text(script)):
        if found_module(name, folder) is None:
            place = where((os.path.abspath(script), line, ""))
            yield f"{place} imports `{name}`, which is not installed here"


def _script(program: str) -> str | None:
    """The file that runs, where it has a text."""
    path = os.path.join(program, "__main__.py") if os.path.isdir(program) else program
    return path if path.endswith((".py", NOTEBOOK)) else None


def _module_file(name: str) -> str | None:
    found = main_module(name)
    path = found.origin if found and found.has_location else None
    return named(path) if path and path.endswith(".py") and is_users(path) else None


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
