"""Functions that C++ builds of operators, and that look at devices before any operator runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from numbers import Number
from typing import Any

import torch

from devlint.confirm.device_tags import cuda_messages
from devlint.confirm.device_tags.tag import device_of, is_on_accelerator
from devlint.confirm.torch_patches.autocast.kernels import RECURRENT
from devlint.confirm.torch_patches.session import Emulation

#: What `index_put_` is not needed for.
_BASIC = (int, slice, type(None), type(...))


def install(emulation: Emulation) -> None:
    put = emulation.patches.put
    for name in RECURRENT:
        put(torch._VF, name, _recurrent(emulation, getattr(torch._VF, name)))
    for owner in (torch, torch.Tensor):
        put(owner, "tensor_split", _split(emulation, owner.tensor_split))
    # Asks whether weights can be laid out for cuDNN, and warns where PyTorch has none.
    put(torch.backends.cudnn, "is_acceptable", lambda tensor: False)
    put(torch, "ctc_loss", _with_targets_moved(torch.ctc_loss))
    put(torch.Tensor, "__setitem__", _by_index_put(torch.Tensor.__setitem__))


def _recurrent(emulation: Emulation, original: Callable[..., Any]) -> Any:
    """`(input, hidden, weights, ..)`, or `(data, batch sizes, hidden, weights, ..)` if packed.

    Where a packed input and the weights are, only the operators look at.
    """

    @wraps(original)
    def run(data: Any, *args: Any) -> Any:
        device = device_of(data)
        place = 1 if _is_packed(args) else 0
        hidden, weights = args[place : place + 2]
        asked = {"hidden": _listed(hidden), "parameter": () if place else weights}
        for kind, tensors in asked.items():
            odd = [each for each in tensors if device_of(each) != device]
            if odd:
                message = cuda_messages.recurrent(data, odd[0], kind)
                emulation.record.refuse("several-devices", message, [data, odd[0]])
        moved = _moved(hidden, device)
        return original(data, *args[:place], moved, *args[place + 1 :])

    return run


def _moved(hidden: Any, device: Any) -> Any:
    """Where the input is, so that a run that goes on meets the same fault once."""
    if isinstance(hidden, (list, tuple)):
        return type(hidden)(each.to(device) for each in hidden)
    return hidden.to(device)


def _is_packed(args: tuple[Any, ...]) -> bool:
    """Then the batch sizes come before the hidden state, and the weights third."""
    return len(args) > 2 and isinstance(args[2], (list, tuple))


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _split(emulation: Emulation, original: Callable[..., Any]) -> Any:
    @wraps(original)
    def tensor_split(*args: Any, **kwargs: Any) -> Any:
        for value in (*args[1:2], *kwargs.values()):
            if isinstance(value, torch.Tensor) and is_on_accelerator(value):
                message = cuda_messages.not_on_cpu("tensor_split", value)
                emulation.record.refuse("cpu-only", message, [value])
        return original(*args, **kwargs)

    return tensor_split


def _with_targets_moved(original: Callable[..., Any]) -> Any:
    """CTC moves its targets and lengths itself."""

    @wraps(original)
    def ctc_loss(log_probs: Any, *args: Any, **kwargs: Any) -> Any:
        device = device_of(log_probs)
        moved = [each.to(device) if isinstance(each, torch.Tensor) else each for each in args]
        return original(log_probs, *moved, **kwargs)

    return ctc_loss


def _by_index_put(original: Callable[..., Any]) -> Any:
    """Assignment takes its index to where the tensor is.

    Since torch 2.15 it puts a number by `index_fill_` or `masked_fill_`, which take nothing along,
    but only on one device; for C++ all is. A tensor is put as before.
    """

    @wraps(original)
    def assign(self: Any, index: Any, value: Any) -> None:
        keys = index if isinstance(index, tuple) else (index,)
        if isinstance(value, Number) and any(type(key) not in _BASIC for key in keys):
            value = torch.scalar_tensor(value, dtype=self.dtype, device=self.device)
        original(self, index, value)

    return assign
