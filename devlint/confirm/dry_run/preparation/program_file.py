"""The file of the user's that a program begins with."""

from __future__ import annotations

import os

from devlint.confirm.device_tags.provenance import is_users
from devlint.confirm.dry_run.preparation.module_search import main_module
from devlint.confirm.dry_run.report.document_places import named
from devlint.document.reader import NOTEBOOK


def program_file(program: str, *, is_module: bool) -> str | None:
    """Where it has a text."""
    return _module_file(program) if is_module else _script(program)


def _script(program: str) -> str | None:
    path = os.path.join(program, "__main__.py") if os.path.isdir(program) else program
    return path if path.endswith((".py", NOTEBOOK)) else None


def _module_file(name: str) -> str | None:
    found = main_module(name)
    path = found.origin if found and found.has_location else None
    return named(path) if path and path.endswith(".py") and is_users(path) else None
