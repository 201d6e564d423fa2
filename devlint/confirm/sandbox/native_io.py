"""The same for functions of libraries that name files to C++ and Rust."""

from __future__ import annotations

import importlib
import os
from functools import wraps
from importlib.util import find_spec
from typing import Any, NamedTuple

from devlint.confirm.sandbox.file_overlay import StandIns
from devlint.confirm.sandbox.path_arguments import Finder, Function


class _Named(NamedTuple):
    """A function and which of its arguments names a file; each name by which others find it."""

    owners: tuple[str, ...]
    function: str
    way: str
    argument: str
    position: int


#: torch.save of a file name makes a writer of the first two; only the first knows of a name that
#: is not ASCII, which older releases give to `io.FileIO`.
_FUNCTIONS = (
    _Named(("torch.serialization._open_zipfile_writer_file",), "__init__", "replacing", "name", 1),
    _Named(("torch._C",), "PyTorchFileWriter", "replacing", "name", 0),
    _Named(("torch", "torch.serialization"), "load", "reading", "f", 0),
    _Named(("torch.jit._script.RecursiveScriptModule",), "save", "replacing", "f", 1),
    _Named(("torch.jit", "torch.jit._serialization"), "load", "reading", "f", 0),
    _Named(("torch.autograd.profiler.profile",), "export_chrome_trace", "replacing", "path", 1),
    _Named(("safetensors",), "serialize_file", "replacing", "filename", 1),
    _Named(("safetensors",), "safe_open", "reading", "filename", 0),
    _Named(("sqlite3", "sqlite3.dbapi2"), "connect", "changing", "database", 0),
)


def redirect_libraries() -> None:
    """After `redirect`: imports them, before anybody imports their functions by name."""
    stand_ins = StandIns.of(os.environ)
    if stand_ins is None:
        return
    finder = Finder(stand_ins)
    for named in _FUNCTIONS:
        for owner in filter(None, map(_owner, named.owners)):
            function = getattr(owner, named.function, None)
            if function is not None:
                setattr(owner, named.function, _redirected(finder, function, named))


def _redirected(finder: Finder, function: Function, named: _Named) -> Function:
    stand_in = finder.with_stand_in(function, named.way, named.argument, named.position)
    return _but_no_address(function, stand_in) if named.function == "connect" else stand_in


def _but_no_address(function: Function, stand_in: Function) -> Function:
    """A database may be in memory, or have an address."""

    @wraps(function)
    def connected(database: Any, *args: Any, **kwargs: Any) -> Any:
        is_address = isinstance(database, str) and database.startswith((":memory:", "file:"))
        return (function if is_address else stand_in)(database, *args, **kwargs)

    return connected


def _owner(dotted: str) -> Any:
    """A module, or a class of one; None where it is not installed."""
    package, _, _ = dotted.partition(".")
    if find_spec(package) is None:
        return None
    try:
        return importlib.import_module(dotted)
    except ImportError:
        module, _, name = dotted.rpartition(".")
        return getattr(importlib.import_module(module), name, None)
