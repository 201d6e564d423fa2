"""Dynamo, which sees PyTorch as it is: neither what is replaced nor CUDA, for which it needs what a
build has not.

Optimizers import it, which takes more time than all else that happens before a program begins, so
it is left to them.
"""

from __future__ import annotations

import sys
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
    else:
        finder = _Finder(emulation)
        sys.meta_path.insert(0, finder)
        emulation.patches.undo_by(finder.leave)


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
    """Imports Dynamo when it is first looked for, and replaces what it and others imported then."""

    def __init__(self, emulation: Emulation) -> None:
        self._emulation = emulation

    def leave(self) -> None:
        sys.meta_path[:] = [each for each in sys.meta_path if each is not self]

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _NAME:
            return None
        self.leave()
        patches = self._emulation.patches
        with patches.suspended(), _disable_current_modes():
            module = import_module(name)
        patches.put_in_new_modules()
        _replace(self._emulation, module)
        # Of what is imported by now, Python takes the module's own one.
        spec = module.__spec__ = ModuleSpec(name, _Imported(module, module.__spec__))
        return spec


class _Imported(Loader):
    """Gives a module as it is, which a spec has loaded."""

    def __init__(self, module: ModuleType, spec: ModuleSpec | None) -> None:
        self._module, self._spec = module, spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec
