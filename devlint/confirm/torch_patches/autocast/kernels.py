"""Kernels of autocast in place of PyTorch's, whose own state says which regions are on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any

import torch

from devlint.confirm.torch_patches.autocast.casts import (
    Casts,
    is_eligible,
    lower_precision_fp,
    promoted,
)
from devlint.confirm.torch_patches.autocast.policies import (
    APPENDING,
    CPU_KEY,
    KEY,
    Policy,
    arguments,
    cast_operators,
    overload,
    policies,
)
from devlint.confirm.torch_patches.session import Emulation

#: Functions of `torch._VF`.
RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")

_KEY = getattr(torch._C.DispatchKey, KEY)
_KEYS = torch._C.DispatchKeySet(_KEY)
_CPU_KEYS = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, CPU_KEY))


def install(emulation: Emulation) -> None:
    casts = Casts(emulation.record.goes_on)
    kernels = {(name, KEY): _kernel(casts, name, policy) for name, policy in policies()}
    kernels |= {(name, CPU_KEY): _cpu_kernel(name) for name in cast_operators(CPU_KEY)}
    _register(emulation, kernels)
    clear = torch.clear_autocast_cache

    def clear_autocast_cache() -> None:
        casts.clear()
        clear()

    emulation.patches.put(torch, "clear_autocast_cache", clear_autocast_cache)
    for name in RECURRENT:
        emulation.patches.put(torch._VF, name, _recurrent(casts, getattr(torch._VF, name)))


def _register(emulation: Emulation, kernels: dict[tuple[str, str], Callable[..., Any]]) -> None:
    library = torch.library.Library("aten", "IMPL")
    emulation.patches.undo_by(library._destroy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # That kernels are replaced.
        for (name, key), kernel in kernels.items():
            library.impl(name, kernel, key)


def reached() -> Any:
    """A context in which operators come by the kernels though no tensor is on CUDA."""
    return torch._C._IncludeDispatchKeyGuard(_KEY)


def _kernel(casts: Casts, name: str, policy: Policy) -> Callable[..., Any]:
    operator = overload(name)
    if policy is Policy.FP32_SET_OPT_DTYPE:
        return partial(_with_dtype, operator, arguments(operator).index("dtype"))
    if policy is Policy.FP32_APPEND_DTYPE:
        return partial(_with_dtype_last, operator, overload(APPENDING[name]))
    return partial(_cast, casts, operator, _DTYPES[policy])


_DTYPES: dict[Policy, Callable[..., Any]] = {
    Policy.LOWER_PRECISION_FP: lambda values: lower_precision_fp(),
    Policy.FP32: lambda values: torch.float32,
    Policy.PROMOTE: promoted,
}


def _cast(casts: Casts, operator: Any, dtype_of: Any, *args: Any, **kwargs: Any) -> Any:
    with torch._C._ExcludeDispatchKeyGuard(_KEYS):
        dtype = dtype_of((*args, *kwargs.values()))
        cast = casts.cast((*args, *kwargs.values()), dtype)
        named = dict(zip(kwargs, cast[len(args) :], strict=True))
        return operator(*cast[: len(args)], **named)


def _cpu_kernel(name: str) -> Callable[..., Any]:
    """PyTorch's own, for what is not on CUDA."""
    operator, cast = overload(name), torch.library.get_kernel(f"aten::{name}", CPU_KEY)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if not any(map(is_eligible, args)):
            return cast.call_boxed(_CPU_KEYS, *args, **kwargs)
        with torch._C._ExcludeDispatchKeyGuard(_CPU_KEYS):
            return operator(*args, **kwargs)

    return kernel


def _recurrent(casts: Casts, original: Callable[..., Any]) -> Callable[..., Any]:
    """What autocast knows as `_cudnn_rnn` is many operators on the CPU."""

    @wraps(original)
    def run(*args: Any) -> Any:
        if not (torch.is_autocast_enabled("cuda") and is_eligible(args[0])):
            return original(*args)
        with torch._C._ExcludeDispatchKeyGuard(_KEYS), _without_onednn():
            return original(*casts.cast(args, lower_precision_fp()))

    return run


@contextmanager
def _without_onednn() -> Iterator[None]:
    """Whose layers know no float16."""
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)


def _with_dtype(operator: Any, place: int, *args: Any, **kwargs: Any) -> Any:
    """In float32, unless another dtype is asked for."""
    is_open = len(args) <= place and kwargs.get("dtype") is None
    with torch._C._ExcludeDispatchKeyGuard(_KEYS):
        if is_open and is_eligible(args[0]):
            kwargs["dtype"] = torch.float32
        return operator(*args, **kwargs)


def _with_dtype_last(operator: Any, appending: Any, *args: Any) -> Any:
    rest = operator._schema.arguments[len(args) :]  # The dispatcher leaves defaults out.
    dtype = torch.float32 if is_eligible(args[0]) else args[0].dtype
    with torch._C._ExcludeDispatchKeyGuard(_KEYS):
        return appending(*args, *(argument.default_value for argument in rest), dtype=dtype)
