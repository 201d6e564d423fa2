"""Has functions get the stand-ins of the files that they are called with."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any

from devlint.confirm.sandbox.file_overlay import StandIns

#: With one of them a path does not start from the working directory.
_HANDLES = ("dir_fd", "src_dir_fd", "dst_dir_fd")

_THREAD = threading.local()

Function = Callable[..., Any]


class Finder:
    """While a thread looks for a stand-in, the functions of `os` are what they were for it."""

    def __init__(self, stand_ins: StandIns) -> None:
        self.stand_ins = stand_ins

    def with_stand_in(
        self, function: Function, way: str, name: str = "path", position: int = 0
    ) -> Function:
        """The function, of which one argument names a file; `way` is a method of `StandIns`."""

        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            given = args[position] if len(args) > position else kwargs.get(name)
            if not self.is_path(given, kwargs):
                return function(*args, **kwargs)
            with Naming(given):
                found = self.found(way, given)
                if len(args) > position:
                    return function(*args[:position], found, *args[position + 1 :], **kwargs)
                return function(*args, **{**kwargs, name: found})

        return called

    def is_path(self, given: Any, kwargs: dict[str, Any]) -> bool:
        if getattr(_THREAD, "is_finding", False) or not given:
            return False
        if any(kwargs.get(handle) is not None for handle in _HANDLES):
            return False
        return isinstance(given, (str, bytes, os.PathLike))

    def found(self, way: str, path: Any, kwargs: dict[str, Any] | None = None) -> Any:
        """Itself, if it is no path or `kwargs` say that it starts elsewhere."""
        if not self.is_path(path, kwargs or {}):
            return path
        found = self._find(getattr(self.stand_ins, way), os.fsdecode(path))
        return os.fsencode(found) if isinstance(path, bytes) and isinstance(found, str) else found

    def is_there(self, path: str) -> bool:
        return bool(self._find(os.path.lexists, path))

    def _find(self, function: Function, path: str) -> Any:
        _THREAD.is_finding = True
        try:
            return function(path)
        finally:
            _THREAD.is_finding = False


class Naming:
    """Errors name the path that the program gave."""

    def __init__(self, path: Any) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError) and error.filename is not None:
            error.filename = self._path
