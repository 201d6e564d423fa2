"""Programs that are traced with fake tensors, which are on the CPU: each runs on CUDA first."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch.utils._pytree import tree_map

from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    emulation.patches.put(torch.export, "export", _exporting(torch.export.export))


def _exporting(export: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(export)
    def exported(mod: Any, args: Any, kwargs: Any = None, **options: Any) -> Any:
        run_first(copy.deepcopy(mod), args, kwargs or {})
        return export(mod, args, kwargs, **options)

    return exported


def run_first(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> None:
    """Run it, which changes neither its inputs nor what is drawn later."""
    args, kwargs = tree_map(_copied, (tuple(args), kwargs))
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        function(*args, **kwargs)


def _copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value
