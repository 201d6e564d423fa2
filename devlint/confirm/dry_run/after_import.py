"""Has something done as soon as a module is imported."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from typing import Any


class AfterImport:
    """A finder for `sys.meta_path`: it leaves modules to the others, and has those it `awaits`."""

    def __init__(self, awaits: Callable[[str], bool], do: Callable[[Any], object]) -> None:
        self._awaits, self._do = awaits, do

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not self._awaits(name):
            return None
        finders = (each for each in sys.meta_path if each is not self)
        found = (finder.find_spec(name, path, target) for finder in finders)
        spec = next(filter(None, found), None)
        if spec and spec.loader:
            self._hook(spec.loader)
        return spec

    def _hook(self, loader: Any) -> None:
        load = loader.exec_module

        def loaded(module: Any) -> None:
            del loader.exec_module
            load(module)
            self._do(module)

        loader.exec_module = loaded
