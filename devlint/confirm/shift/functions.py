"""Where calls of a package's public functions, and of methods of its classes, are noticed."""

from __future__ import annotations

import inspect
import sys
import unittest
from collections.abc import Callable
from functools import cache, update_wrapper
from types import FunctionType, ModuleType
from typing import Any

import torch

from devlint.confirm.device_tags.carried import PHASE, constructing
from devlint.confirm.dry_run.after_import import AfterImport
from devlint.confirm.shift.calls import Shift
from devlint.confirm.shift.carrying import names_cpu
from devlint.confirm.torch_patches.session import Emulation
from devlint.facts.effect import Moves, Pins
from devlint.facts.moves import METHODS

#: Classes whose methods are no calls of the package: tests, and what PyTorch calls itself.
_NOT_CALLED = (unittest.TestCase, torch.Tensor, torch.autograd.Function, BaseException)
#: Methods that put an object on a device; the tests mean the CPU.
_MOVES = frozenset(name for name, fact in METHODS.items() if isinstance(fact, (Moves, Pins)))


def install(emulation: Emulation, shift: Shift) -> None:
    """In the modules of the package that are there, and in all that are imported from now on."""
    functions = Functions(emulation, shift)
    for name, module in [*sys.modules.items()]:
        if shift.package.has_module(name):
            functions.watch(module)
    finder = AfterImport(shift.package.has_module, functions.watch)
    sys.meta_path.insert(0, finder)
    emulation.patches.undo_by(lambda: sys.meta_path.remove(finder))


class Functions:
    """Puts a function that shifts its calls in the place of each that is public."""

    def __init__(self, emulation: Emulation, shift: Shift) -> None:
        self._put, self._shift = emulation.patches.put, shift

    def watch(self, module: ModuleType) -> None:
        for name, value in [*vars(module).items()]:
            if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
                continue
            if isinstance(value, FunctionType):
                self._put(module, name, self._calling(value, is_method=False))
            elif isinstance(value, type) and not issubclass(value, _NOT_CALLED):
                self._watch_class(value)

    def _watch_class(self, kind: type) -> None:
        for name, value in [*vars(kind).items()]:
            if name == "__init__" and isinstance(value, FunctionType):
                if not issubclass(kind, torch.nn.Module):
                    self._put(kind, name, self._constructing(value))
            elif not self._is_called(kind, name):
                continue
            elif isinstance(value, FunctionType):
                self._put(kind, name, self._calling(value, is_method=True))
            elif isinstance(value, (staticmethod, classmethod)):
                function = self._calling(value.__func__, is_method=False)
                self._put(kind, name, type(value)(function))

    def _is_called(self, kind: type, name: str) -> bool:
        """Modules are called by `__call__`, which is watched already."""
        is_module = issubclass(kind, torch.nn.Module)
        if name == "__call__" or name == "forward":
            return not is_module
        return not name.startswith("_") and name not in _MOVES

    def _calling(self, function: Any, *, is_method: bool) -> Any:
        def call(args: Any, kwargs: Any) -> Any:
            if not self._is_from_outside(function):
                return function(*args, **kwargs)
            kwargs = _with_devices(function, args, kwargs)
            if is_method and args:
                return self._shift.call(function, args[0], args[1:], kwargs)
            return self._shift.call(function, None, args, kwargs)

        return _in_place_of(function, call)

    def _constructing(self, function: Any) -> Any:
        """The constructor of what is no module: what it is given is on CUDA, as for a user."""

        def built(*args: Any, **kwargs: Any) -> Any:
            with constructing():
                return function(*args, **kwargs)

        update_wrapper(built, function)

        def call(args: Any, kwargs: Any) -> Any:
            if not self._is_from_outside(function):
                return function(*args, **kwargs)
            kwargs = _with_devices(function, args, kwargs)
            return self._shift.call(built, args[0], args[1:], kwargs)

        return _in_place_of(function, call)

    def _is_from_outside(self, function: Any) -> bool:
        """Whether one who is not of the package calls it, and it is not defined by the tests."""
        if PHASE.is_shifted or not isinstance(function, FunctionType):
            return False
        caller = sys._getframe(3).f_globals.get("__name__")
        package = self._shift.package
        return package.has_file(function.__code__.co_filename) and not package.has_module(caller)


def _in_place_of(function: Any, call: Callable[[Any, Any], Any]) -> Any:
    """A function that looks like another one, also to TorchScript, which compiles its text."""

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return call(args, kwargs)

    made = FunctionType(
        stand_in.__code__, function.__globals__, function.__name__, None, stand_in.__closure__
    )
    return update_wrapper(made, function)


def _with_devices(function: Any, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, and devices that are the CPU unless a user says something else."""
    defaults = _devices(function)
    if not defaults:
        return kwargs
    given = {*kwargs, *list(inspect.signature(function).parameters)[: len(args)]}
    return {**{name: device for name, device in defaults.items() if name not in given}, **kwargs}


@cache
def _devices(function: Any) -> dict[str, Any]:
    """The parameters of a function whose default is the CPU."""
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters if names_cpu(each.default)}
