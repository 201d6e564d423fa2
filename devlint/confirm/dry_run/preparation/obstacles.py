"""Why a program cannot be run, told before torch is imported."""

from __future__ import annotations

import os
import warnings

from devlint.confirm.dry_run.preparation.module_search import found_module, main_module
from devlint.confirm.dry_run.preparation.program_file import program_file
from devlint.confirm.dry_run.report.document_places import notebook
from devlint.document.reader import NOTEBOOK
from devlint.text.reading import read
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


def syntax_error(program: str, *, is_module: bool) -> str | None:
    """Where Python cannot read the file that the program begins with, and why."""
    path = program_file(program, is_module=is_module)
    if path is None:
        return None
    return _unread_cell(path) if path.endswith(NOTEBOOK) else _uncompiled(path)


def _unread_cell(path: str) -> str | None:
    left_out = notebook(path).omissions
    return f"{path}: {left_out[0].message}; a run needs every cell" if left_out else None


def _uncompiled(path: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The program shows them itself.
            compile(read(path), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{path}:{error.lineno or 1}: Python cannot read this: {error.msg}"
    except ValueError as error:  # Of null bytes, before Python 3.12.
        return f"{path}: Python cannot read this: {error}"
    return None
