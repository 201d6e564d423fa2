"""`torch.compile` and TorchScript: what they would compile runs as it is written."""

from __future__ import annotations

from typing import Any

import torch
from torch._dynamo.eval_frame import OptimizedModule

from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    emulation.patches.put(torch, "compile", compiled)
    emulation.patches.put_all(
        torch.jit,
        {
            "script": _users_as_is(torch.jit.script),
            "trace": traced,
            "freeze": _as_is,
            "optimize_for_inference": _as_is,
        },
    )


def compiled(model: Any = None, **options: Any) -> Any:
    """A module inside another one, whose names in a state dict start with `_orig_mod.`."""
    if model is None:
        return lambda function: compiled(function, **options)
    if isinstance(model, torch.nn.Module) and not isinstance(model, OptimizedModule):
        return OptimizedModule(model, _as_is)
    return model


def _users_as_is(script: Any) -> Any:
    """torch itself scripts functions when some of its modules are imported."""

    def scripted(obj: Any = None, *args: Any, **options: Any) -> Any:
        is_torchs = getattr(obj, "__module__", "").startswith("torch.")
        return script(obj, *args, **options) if is_torchs else obj

    return scripted


def _as_is(obj: Any, *args: Any, **options: Any) -> Any:
    return obj


def traced(func: Any, example_inputs: Any = None, **options: Any) -> Any:
    """Tracing runs the function once."""
    if example_inputs is not None:
        func(*example_inputs if isinstance(example_inputs, tuple) else (example_inputs,))
    return func
