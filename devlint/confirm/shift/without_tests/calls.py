"""Runs a recipe, an example, or a part of them; the same on the CPU and shifted."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from functools import cache
from types import CodeType, ModuleType
from typing import Any

import torch

from devlint.confirm.shift.reach import reached
from devlint.confirm.shift.without_tests.request import Recipe, Run

_SEED = 0
_FOLDER = os.getcwd()


class Names:
    """What the Python of recipes may name: torch, what the module of a class has, the class, and
    all public classes of the package."""

    def __init__(self, public: Mapping[str, Any], modules: Mapping[str, ModuleType]) -> None:
        self._public, self.modules = public, modules

    def of(self, kind: Any) -> dict[str, Any]:
        own = vars(self.modules[kind.__module__])
        return {**own, **self._public, kind.__name__: kind, "torch": torch}


def start_anew() -> None:
    """As each subject finds the process, whatever the one before has set."""
    os.chdir(_FOLDER)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    seed()


def seed() -> None:
    random.seed(_SEED)
    torch.manual_seed(_SEED)


def evaluated(text: str, names: dict[str, Any]) -> Any:
    return eval(_compiled(text, "eval"), names)


@cache
def _compiled(text: str, mode: str) -> CodeType:
    return compile(text, "<devlint shift>", mode, dont_inherit=True)


def built(build: str, names: dict[str, Any]) -> Any:
    seed()
    return evaluated(build, names)


def called(net: Any, inputs: str, names: dict[str, Any]) -> list[Any]:
    """The result alone."""
    seed()
    return [evaluated(f"net({inputs})", {**names, "net": net})]


def performed(recipe: Recipe, run: Run, names: dict[str, Any]) -> Run:
    """Build, call and differentiate; the run itself, if that ends well."""
    net = built(recipe.build, names)
    net.train(run.is_training)
    result = called(net, recipe.inputs, names)
    if run.is_differentiated:
        differentiate(result)
    return run


def differentiate(result: list[Any]) -> None:
    """The sum of all numbers in a result that have a gradient."""
    sum(each.sum() for each in differentiable(result)).backward()


def differentiable(result: list[Any]) -> list[Any]:
    tensors = reached(result).tensors
    return [each for each in tensors if each.requires_grad and each.is_floating_point()]
