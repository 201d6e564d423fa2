"""Has what Python itself offers for files get the stand-ins of those that a program names."""

from __future__ import annotations

import errno
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import wraps
from types import ModuleType, TracebackType
from typing import Any

from devlint.confirm.sandbox.file_overlay import StandIns
from devlint.confirm.sandbox.landlock import allow_writes_below_only
from devlint.confirm.sandbox.metadata import held
from devlint.confirm.sandbox.path_arguments import Finder, Function, Naming
from devlint.confirm.sandbox.seccomp import hold_metadata

_READING = "stat lstat access readlink statvfs getxattr listxattr".split()
_CHANGING = "chmod lchmod chown lchown chflags utime truncate setxattr removexattr".split()
#: By the handle of a file.
_HANDLED = "fchmod fchown".split()
_MAKING = "mkdir mkfifo mknod".split()
_TAKING = "remove unlink rmdir".split()
#: What becomes of the first path; the second is where it arrives.
_MOVING = {"rename": "taking", "replace": "taking", "link": "changing"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: By the letter of the mode; the first one that it has counts.
_OPENING = {
    "x": "making",
    "w": "replacing",
    "a": "changing",
    "+": "changing",
    "r": "reading",
}
#: Those go on with the functions as they are, importing with them, or telling the parent process.
_FOUNDATIONS = {
    *("posix", "nt", "_io", "_frozen_importlib_external", "importlib._bootstrap_external"),
    "devlint.confirm.dry_run.journal",
}


def redirect() -> None:
    """For the rest of the process, if a sandbox started it, and before torch is imported."""
    stand_ins = StandIns.of(os.environ)
    if stand_ins is None:
        return
    allow_writes_below_only((stand_ins.root, *stand_ins.real))
    hold_metadata()
    _Redirect(Finder(stand_ins)).install()


class _Redirect:
    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    def install(self) -> None:
        new = dict(self._functions())
        for name, function in new.items():
            _widen_support(getattr(os, name), function)
        replaced = {id(getattr(os, name)): function for name, function in new.items()}
        replaced[id(open)] = self._opening(open)
        replaced[id(shutil.rmtree)] = self._removing_tree(shutil.rmtree)
        for owner in _modules():
            for name, value in list(vars(owner).items()):
                if id(value) in replaced:
                    setattr(owner, name, replaced[id(value)])
        _replace_in_accessor(replaced)
        self._popen()

    def _functions(self) -> Iterator[tuple[str, Function]]:
        yield "chdir", self._finder.with_stand_in(os.chdir, "entering")
        yield from self._looking_and_changing()
        for name in _TAKING:
            yield name, self._removing(getattr(os, name))
        for name, way in _MOVING.items():
            yield name, self._moving(getattr(os, name), way)
        yield "symlink", self._linking(os.symlink)
        yield "open", self._opening_low(os.open)
        yield "listdir", self._listing(os.listdir)
        yield "scandir", self._scanning(os.scandir)

    def _looking_and_changing(self) -> Iterator[tuple[str, Function]]:
        own = dict(held(self._finder.stand_ins))
        ways = (("reading", _READING), ("changing", _CHANGING), ("making", _MAKING))
        for way, names in ways:
            for name in names:
                if hasattr(os, name):
                    function = own.get(name, getattr(os, name))
                    yield name, self._finder.with_stand_in(function, way)
        yield from ((name, own[name]) for name in _HANDLED if name in own)

    def _opening(self, function: Function) -> Function:
        ways = {way: self._finder.with_stand_in(function, way) for way in _OPENING.values()}

        @wraps(function)
        def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            way = next((way for letter, way in _OPENING.items() if letter in mode), "reading")
            return ways[way](file, mode, *args, **kwargs)

        return opened

    def _opening_low(self, function: Function) -> Function:
        ways = {way: self._finder.with_stand_in(function, way) for way in _OPENING.values()}

        @wraps(function)
        def opened(path: Any, flags: int, *args: Any, **kwargs: Any) -> Any:
            way = "reading"
            if flags & _WRITES:
                way = "replacing" if flags & os.O_TRUNC else "changing"
            return ways[way](path, flags, *args, **kwargs)

        return opened

    def _removing(self, function: Function) -> Function:
        @wraps(function)
        def removed(path: Any, **kwargs: Any) -> None:
            if not self._finder.is_path(path, kwargs):
                function(path, **kwargs)
                return
            with Naming(path):
                _check_kind(function.__name__, path)
                was_there = os.path.lexists(path)
                found = self._finder.found("removing", path)
                if self._finder.is_there(found) or not was_there:
                    function(found, **kwargs)

        return removed

    def _removing_tree(self, function: Function) -> Function:
        @wraps(function)
        def removed(path: Any, *args: Any, **kwargs: Any) -> None:
            was_there = os.path.isdir(path)
            found = self._finder.found("removing", path, kwargs)
            if os.path.islink(found):
                os.unlink(found)
            elif self._finder.is_there(found) or not was_there:
                function(found, *args, **kwargs)

        return removed

    def _moving(self, function: Function, way: str) -> Function:
        @wraps(function)
        def moved(src: Any, dst: Any, **kwargs: Any) -> Any:
            with Naming(src):
                taken = self._finder.found(way, src, kwargs)
                return function(taken, self._finder.found("arriving", dst, kwargs), **kwargs)

        return moved

    def _linking(self, function: Function) -> Function:
        @wraps(function)
        def linked(src: Any, dst: Any, *args: Any, **kwargs: Any) -> None:
            function(src, self._finder.found("making", dst, kwargs), *args, **kwargs)

        return linked

    def _listing(self, function: Function) -> Function:
        @wraps(function)
        def listed(path: Any = ".") -> list[Any]:
            if not self._finder.is_path(path, {}):
                return list(function(path))
            with Naming(path):
                names = [os.path.basename(each) for each in self._entries(path, function)]
            return [os.fsencode(name) for name in names] if isinstance(path, bytes) else names

        return listed

    def _entries(self, path: Any, function: Function) -> list[str]:
        """Paths of what is in a folder, each in the first of the folders that has it."""
        folders = self._finder.found("listing", path)
        first = [os.path.join(folders[0], name) for name in function(folders[0])]
        if len(folders) == 1:
            return first
        known = {os.path.basename(each) for each in first}
        others = (os.path.join(folders[1], name) for name in function(folders[1]))
        return first + [
            each
            for each in others
            if os.path.basename(each) not in known and not self._finder.stand_ins.is_gone(each)
        ]

    def _scanning(self, function: Function) -> Function:
        @wraps(function)
        def scanned(path: Any = ".") -> Any:
            if not self._finder.is_path(path, {}) or isinstance(path, bytes):
                return function(path)
            with Naming(path):
                folders = self._finder.found("listing", path)
                if len(folders) == 1:
                    return function(folders[0])
                wanted = set(self._entries(path, os.listdir))
            return _Entries(function, folders, wanted)

        return scanned

    def _popen(self) -> None:
        start: Function = subprocess.Popen.__init__

        @wraps(start)
        def started(this: Any, *args: Any, **kwargs: Any) -> None:
            if "cwd" in kwargs:
                kwargs["cwd"] = self._finder.found("entering", kwargs["cwd"])
            start(this, *args, **kwargs)

        setattr(subprocess.Popen, "__init__", started)  # noqa: B010


class _Entries:
    """As `os.scandir` of several folders, with those entries whose paths are wanted."""

    def __init__(self, scan: Function, folders: tuple[str, ...], wanted: set[str]) -> None:
        self._found = (
            entry for folder in folders for entry in scan(folder) if entry.path in wanted
        )

    def __iter__(self) -> _Entries:
        return self

    def __next__(self) -> Any:
        return next(self._found)

    def __enter__(self) -> _Entries:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._found.close()


def _check_kind(name: str, path: Any) -> None:
    """What is only marked as removed fails as what is removed."""
    if not os.path.isdir(path) or os.path.islink(path):
        return
    number = errno.EISDIR if name != "rmdir" else errno.ENOTEMPTY if os.listdir(path) else 0
    if number:
        raise OSError(number, os.strerror(number), path)


def _widen_support(before: Function, after: Function) -> None:
    """Python keeps sets of the functions that take handles of files."""
    for name in ("dir_fd", "fd", "follow_symlinks", "effective_ids"):
        supporting = getattr(os, f"supports_{name}")
        if before in supporting:
            supporting.add(after)


def _modules() -> list[ModuleType]:
    return [
        module
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType) and name not in _FOUNDATIONS
    ]


def _replace_in_accessor(replaced: dict[int, Function]) -> None:
    """Python 3.10 keeps them there, in a class."""
    accessor = getattr(pathlib, "_NormalAccessor", None)
    for name, value in list(vars(accessor).items() if accessor else ()):
        bare = getattr(value, "__func__", value)
        if id(bare) in replaced:
            setattr(accessor, name, staticmethod(replaced[id(bare)]))
