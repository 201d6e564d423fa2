"""Attributes of torch that are replaced while CUDA is emulated, and put back afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import torch

_ABSENT = object()


def owner_of(name: str) -> tuple[Any, str]:
    """What has the attribute that `torch.a.b` names, and the attribute's own name."""
    *path, last = name.split(".")
    owner: Any = torch
    for part in path[1:]:
        owner = getattr(owner, part)
    return owner, last


class Patches:
    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []
        self._undoing: list[Callable[[], object]] = []
        self._everywhere: list[dict[Any, Any]] = []

    def put(self, owner: Any, name: str, value: Any) -> None:
        self._before.append((owner, name, vars(owner).get(name, _ABSENT)))
        setattr(owner, name, value)

    def undo_by(self, action: Callable[[], object]) -> None:
        """Have `restore` call it."""
        self._undoing.append(action)

    def put_all(self, owner: Any, values: dict[str, Any]) -> None:
        """Those of them that this version of torch has."""
        for name, value in values.items():
            if hasattr(owner, name):
                self.put(owner, name, value)

    def put_everywhere(self, replaced: dict[Any, Any]) -> None:
        """Replace the keys by the values in every module of torch that imported them by name."""
        self._everywhere.append(replaced)
        self._put_everywhere(replaced)

    def put_in_new_modules(self) -> None:
        """Replace what modules of torch have imported since from one that was not replaced."""
        for replaced in self._everywhere:
            self._put_everywhere(replaced)

    def _put_everywhere(self, replaced: dict[Any, Any]) -> None:
        for module in _torch_modules():
            for name, value in list(vars(module).items()):
                if _is_hashable(value) and value in replaced:
                    self.put(module, name, replaced[value])

    def replaced(self) -> Iterator[tuple[str, Any, Any]]:
        """Names in modules, and the functions or classes that they named before and name now."""
        first: dict[tuple[int, str], tuple[Any, Any]] = {}
        for owner, name, before in self._before:
            first.setdefault((id(owner), name), (owner, before))
        for (_, name), (owner, before) in first.items():
            if isinstance(owner, ModuleType) and callable(before):
                yield name, before, vars(owner)[name]

    def restore(self) -> None:
        while self._undoing:
            self._undoing.pop()()
        while self._before:
            _put_back(*self._before.pop())

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """torch as it was, in all threads, until the block ends."""
        current = [(owner, name, vars(owner)[name]) for owner, name, _ in self._before]
        for attribute in reversed(self._before):
            _put_back(*attribute)
        try:
            yield
        finally:
            for attribute in current:
                setattr(*attribute)


def _put_back(owner: Any, name: str, before: Any) -> None:
    if before is _ABSENT:
        delattr(owner, name)
    else:
        setattr(owner, name, before)


def _torch_modules() -> list[ModuleType]:
    return [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("torch.") and not name.startswith(("torch._", "torch.testing"))
        if isinstance(module, ModuleType)
    ]


def _is_hashable(value: Any) -> bool:
    return callable(value) and getattr(type(value), "__hash__", None) is not None
