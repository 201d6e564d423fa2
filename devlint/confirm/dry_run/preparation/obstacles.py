"""Why a program cannot be run, told before torch is imported."""

from __future__ import annotations

import os

from devlint.confirm.dry_run.preparation.module_search import found_module, main_module
from devlint.confirm.dry_run.report.document_places import NOTEBOOK, notebook
from devlint.text.source_text import UndecodableError


def obstacle_of_module(name: str) -> str | None:
    """What is in the way of `python -m name`."""
    if name.endswith(".py") or os.sep in name:
        return f"-m {name}: this is a file, not the name of a module: leave out -m"
    if found_module(name) is None:
        return f"-m {name}: no such module, neither in this folder nor installed"
    if main_module(name) is None:
        return f"-m {name}: a package without __main__.py: name one of its modules"
    return None


def obstacle_of_file(program: str) -> str | None:
    """What is in the way of `python program`."""
    if not os.path.exists(program):
        return f"{program}: no such file"
    if os.path.isdir(program) and not os.path.isfile(os.path.join(program, "__main__.py")):
        return f"{program}: a folder without __main__.py: name one of its files"
    try:
        if program.endswith(NOTEBOOK):
            notebook(program)
    except UndecodableError as error:
        return f"{program}: {error}"
    return None
