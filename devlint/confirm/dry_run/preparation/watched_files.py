"""The files whose findings a dry run can judge: the program, and what it imports of its project."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator, Sequence

from devlint.confirm.device_tags.provenance import is_users
from devlint.confirm.dry_run.report.document_places import named


def watched_paths(program: str, arguments: Sequence[str], *, is_module: bool) -> list[str]:
    """Files, and folders of them.

    A module that is not of the project, such as `pytest`, runs what its arguments name, or the
    working directory.
    """
    roots = [os.getcwd(), *_further_roots()]
    if is_module:
        starts = [*_modules(program, roots)]
    else:
        path = os.path.abspath(program)
        roots.insert(0, path if os.path.isdir(path) else os.path.dirname(path))
        starts = [program] if os.path.isfile(program) else [os.path.join(program, "__main__.py")]
    if starts:
        return _reached(starts, roots)
    asked = [each.partition("::")[0] for each in arguments]
    paths = [each for each in asked if os.path.isdir(each) or _is_script(each)]
    return paths or ["."]


def _further_roots() -> Iterator[str]:
    """Where modules of the user's are as well: of `PYTHONPATH`, and of editable installations."""
    for folder in sys.path:
        if os.path.isdir(folder) and is_users(os.path.join(os.path.abspath(folder), "module.py")):
            yield folder


def _reached(starts: Sequence[str], roots: Sequence[str]) -> list[str]:
    """The files that are imported from these, and they themselves, in the order of finding."""
    found = {os.path.realpath(each): each for each in starts if os.path.isfile(each)}
    waiting = [*found.values()]
    while waiting:
        for path in _imports(waiting.pop(), roots):
            if found.setdefault(os.path.realpath(path), path) is path:
                waiting.append(path)
    return [*map(named, map(os.path.abspath, found.values()))]


def _imports(path: str, roots: Sequence[str]) -> Iterator[str]:
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(alias.name, roots)
        elif isinstance(node, ast.ImportFrom):
            places = roots if node.level == 0 else [_ancestor(path, node.level)]
            for name in ("", *(alias.name for alias in node.names)):
                yield from _modules(".".join(filter(None, (node.module, name))), places)


def _ancestor(path: str, level: int) -> str:
    """The folder that so many dots before a relative import mean."""
    for _ in range(level):
        path = os.path.dirname(os.path.abspath(path))
    return path


def _modules(name: str, roots: Sequence[str]) -> Iterator[str]:
    """The files that `import name` runs: of the module, and of the packages it is in."""
    parts = name.split(".")
    for root in roots:
        for end in range(1, len(parts) + 1):
            base = os.path.join(root, *parts[:end])
            files = (f"{base}.py", os.path.join(base, "__init__.py"))
            yield from filter(os.path.isfile, files)
        if os.path.isfile(main := os.path.join(root, *parts, "__main__.py")):
            yield main


def _is_script(path: str) -> bool:
    return path.endswith(".py") and os.path.isfile(path)
