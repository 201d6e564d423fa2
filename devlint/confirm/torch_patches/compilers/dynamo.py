"""Dynamo, which sees PyTorch as it is: neither what is replaced nor CUDA, for which it needs what a
build has not.

Optimizers import it, which takes more time than all else that happens before a program begins, so
it is left to them.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from torch.utils._python_dispatch import _disable_current_modes

from devlint.confirm.torch_patches.compilers.export import run_first
from devlint.confirm.torch_patches.session import Emulation

_NAME = "torch._dynamo"


def install(emulation: Emulation) -> None:
    if _NAME in sys.modules:
        _replace(emulation, sys.modules[_NAME])
        return
    finder = _Finder(emulation)
    sys.meta_path.insert(0, finder)
    emulation.patches.undo_by(finder.leave)
    emulation.patches.put(threading.Thread, "start", _starting(threading.Thread.start))


def _starting(start: Callable[..., Any]) -> Callable[..., Any]:
    """While Dynamo is imported, CUDA is nowhere: no thread may be in the middle of something."""

    @wraps(start)
    def started(self: threading.Thread) -> None:
        import_module(_NAME)
        start(self)

    return started


def _replace(emulation: Emulation, dynamo: Any) -> None:
    emulation.patches.put(dynamo, "explain", _explaining(emulation, dynamo.explain))


def _explaining(emulation: Emulation, explain: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(explain)
    def explained(f: Any, *extra_args: Any, **extra_kwargs: Any) -> Any:
        def told(*args: Any, **kwargs: Any) -> Any:
            run_first(f, args, kwargs)
            with emulation.patches.suspended(), _disable_current_modes():
                return explain(f)(*args, **kwargs)

        return told(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else told

    return explained


class _Finder(MetaPathFinder):
    """Finds Dynamo as others do, and has it executed while PyTorch is as it was."""

    def __init__(self, emulation: Emulation) -> None:
        self._emulation = emulation

    def leave(self) -> None:
        sys.meta_path[:] = [each for each in sys.meta_path if each is not self]

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _NAME:
            return None
        others = [each for each in sys.meta_path if each is not self]
        found = (each.find_spec(name, path, target) for each in others)
        spec = next((each for each in found if each is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Untouched(spec.loader, self._emulation)
        return spec


class _Untouched(Loader):
    """Executes a module while PyTorch is as it was, and replaces what it has imported then."""

    def __init__(self, loader: Loader, emulation: Emulation) -> None:
        self._loader, self._emulation = loader, emulation

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        patches = self._emulation.patches
        with patches.suspended(), _disable_current_modes():
            self._loader.exec_module(module)
        patches.put_in_new_modules()
        _replace(self._emulation, module)
