"""What a package consists of: its modules, its public classes, and their docstrings."""

from __future__ import annotations

import inspect
import os
import pkgutil
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import torch

from devlint.confirm.shift.package import sources_of
from devlint.confirm.shift.without_tests.request import IMPORT
from devlint.confirm.shift.without_tests.telling import Telling

#: Modules that run programs, and those of tests.
_NOT_IMPORTED = re.compile(r"__main__|tests?|testing|conftest|test_.*|.*_test")


def imported(package: str, telling: Telling) -> dict[str, ModuleType]:
    """The package and its submodules, by name; those that cannot be imported are told."""
    found: dict[str, ModuleType] = {}
    waiting = [package]
    while waiting:
        name = waiting.pop()
        subject = IMPORT + name
        if telling.has_passed(subject):
            continue
        telling.begin(subject)
        try:
            found[name] = import_module(name)
        except BaseException as error:
            telling.tell("unimported", name=name, why=reason(error))
            continue
        telling.tell("imported", name=name)
        waiting += sorted(_submodules(found[name]), reverse=True)
    return dict(sorted(found.items()))


def _submodules(module: ModuleType) -> Iterator[str]:
    for each in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not _NOT_IMPORTED.fullmatch(each.name):
            yield f"{module.__name__}.{each.name}"


def look_in_project() -> None:
    """Imports find the package in the working directory, as those of a project's tests do."""
    folders = map(str, sources_of(Path.cwd()))
    sys.path[:0] = [each for each in folders if os.path.isdir(each)]


def classes(modules: dict[str, ModuleType]) -> dict[str, Any]:
    """The public `nn.Module` classes that are no abstract ones, by their dotted names."""
    return {
        name: value
        for name, value in _defined(modules)
        if isinstance(value, type)
        and issubclass(value, torch.nn.Module)
        and not inspect.isabstract(value)
    }


def documented(modules: dict[str, ModuleType]) -> Iterator[tuple[str, ModuleType, str]]:
    """Public classes, their methods and functions: names, modules and docstrings."""
    for name, value in _defined(modules):
        module = modules[value.__module__]
        if doc := vars(value).get("__doc__") if isinstance(value, type) else value.__doc__:
            yield name, module, doc
        for method, function in sorted(vars(value).items()) if isinstance(value, type) else ():
            is_bound = isinstance(function, (staticmethod, classmethod))
            own = function.__func__ if is_bound else function
            if isinstance(own, FunctionType) and own.__doc__ and not method.startswith("_"):
                yield f"{name}.{method}", module, own.__doc__


def public(modules: dict[str, ModuleType]) -> dict[str, Any]:
    """All public classes of the package by their simple names; the first of a name counts."""
    found: dict[str, Any] = {}
    for _, value in _defined(modules):
        if isinstance(value, type):
            found.setdefault(value.__name__, value)
    return found


def _defined(modules: dict[str, ModuleType]) -> Iterator[tuple[str, Any]]:
    """Public classes and functions, each where it is defined."""
    for module in modules.values():
        for name, value in sorted(vars(module).items()):
            # What stands for a package that is not there may raise whatever it is asked.
            is_kind = issubclass(type(value), (type, FunctionType))
            if is_kind and value.__module__ == module.__name__ and not name.startswith("_"):
                yield f"{module.__name__}.{name}", value


def reason(error: BaseException) -> str:
    """The class of an exception, and the first line of what it says."""
    try:
        first = str(error).strip().partition("\n")[0]
    except BaseException:
        first = ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
