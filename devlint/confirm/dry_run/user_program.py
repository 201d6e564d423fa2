"""The user's program of a dry run, on emulated or real CUDA."""

from __future__ import annotations

import builtins
import io
import linecache
import os
import runpy
import sys
import threading
from collections.abc import Callable
from pkgutil import get_importer
from types import ModuleType

import torch

from devlint.confirm.dry_run.journal import Journal
from devlint.confirm.dry_run.observation import Enough, observe
from devlint.confirm.dry_run.report.document_places import notebook, texts
from devlint.confirm.dry_run.report.program_traceback import show
from devlint.confirm.dry_run.request import Assignment
from devlint.confirm.dry_run.uncaught import Uncaught
from devlint.document.reader import NOTEBOOK

#: What a shell reports of a program that SIGINT ended.
_INTERRUPTED = 130


def run(assignment: Assignment, journal: Journal) -> int:
    """Run the program; the status that Python would end with."""
    journal.start(observe(assignment, journal), torch.__version__)
    print(assignment.prelude, end="", file=sys.stderr, flush=True)
    uncaught = Uncaught(journal, is_real=assignment.device == "cuda")
    threading.excepthook = uncaught.in_thread
    return _outcome(assignment, journal, uncaught)


def _outcome(assignment: Assignment, journal: Journal, uncaught: Uncaught) -> int:
    try:
        _program(assignment)()
    except Enough:
        return journal.end("steps", 0)
    except SystemExit as end:
        return journal.end("exit", _status(end))
    except KeyboardInterrupt as error:
        show(error)
        return journal.end("interrupted", _INTERRUPTED)
    except BaseException as error:
        uncaught(error)
        return journal.end("exception", 1)
    return journal.end("end", 0)


def _program(assignment: Assignment) -> Callable[[], object]:
    """As Python's command line: `python program`, or `python -m program`."""
    program = assignment.program
    sys.argv = [program, *assignment.arguments]
    path = os.path.abspath(program)
    if not assignment.is_module and get_importer(path) is not None:  # A folder, or a zip file.
        sys.path.insert(0, path)
        return lambda: _run_module("__main__")
    if not getattr(sys.flags, "safe_path", False):  # Since Python 3.11.
        sys.path.insert(0, os.getcwd() if assignment.is_module else os.path.dirname(path))
    if assignment.is_module:
        return lambda: _run_module(program, is_named=True)
    return lambda: _run_script(path)


def _run_module(name: str, *, is_named: bool = False) -> None:
    """As Python does, which tells in a line what it cannot find."""
    _main_module()
    runpy._run_module_as_main(name, alter_argv=is_named)  # type: ignore[attr-defined]


def _run_script(path: str) -> None:
    if path.endswith(NOTEBOOK):
        _run(path, _text(path), display=print, get_ipython=lambda: None)
        return
    with io.open_code(path) as file:
        source = file.read()
    _run(path, source)


def _text(path: str) -> str:
    """Of a notebook; its plots are drawn and not shown, and tracebacks show its lines."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    text = notebook(path).text
    linecache.cache[path] = (len(text), None, texts(path), path)
    return text


def _run(path: str, source: str | bytes, **names: object) -> None:
    code = compile(source, path, "exec", dont_inherit=True)
    own = {"__file__": path, "__builtins__": builtins, "__spec__": None, "__cached__": None}
    exec(code, _main_module(**own, **names))


def _main_module(**names: object) -> dict[str, object]:
    """The names of a `__main__` that stays: pickles and processes that are spawned look for it."""
    module = sys.modules["__main__"] = ModuleType("__main__")
    vars(module).update(names)
    return vars(module)


def _status(end: SystemExit) -> int:
    """As Python itself: a number, or a text for stderr."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1
