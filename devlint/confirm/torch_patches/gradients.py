"""Gradients that a program hands to autograd, which wants them where the tensor is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import wraps
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction, Function

from devlint.confirm.device_tags.tag import claim_of, device_of
from devlint.confirm.torch_patches.session import Emulation

_DEVICES = "_devlint_devices"


def install(emulation: Emulation) -> None:
    put = emulation.patches.put
    make = torch.autograd._make_grads

    @wraps(make)
    def made(outputs: Any, grads: Any, is_grads_batched: bool) -> Any:
        """What `backward` and `grad` are given for their outputs."""
        devices = [_device(output) for output in outputs]
        placed = tuple(_placed(emulation, "", grads, devices))
        return make(outputs, placed, is_grads_batched)

    put(torch.autograd, "_make_grads", made)
    put(Function, "apply", classmethod(_remembering(vars(Function)["apply"])))
    put(BackwardCFunction, "apply", _checking(emulation, BackwardCFunction.apply))


def _remembering(apply: Any) -> Any:
    """Keeps for the backward pass where the inputs are that have a gradient.

    `apply` is a class method, before torch 2.15 of Python, since then of C++.
    """

    def applied(cls: Any, *args: Any, **kwargs: Any) -> Any:
        result = apply.__get__(None, cls)(*args, **kwargs)
        for output in result if isinstance(result, tuple) else (result,):
            node = output.grad_fn if isinstance(output, torch.Tensor) else None
            if isinstance(node, BackwardCFunction) and not kwargs:
                setattr(node, _DEVICES, [_device(each) for each in args])
        return result

    return applied


def _device(value: Any) -> Any:
    """Where a gradient of it has to be; `None` where there is none."""
    return device_of(value) if isinstance(value, torch.Tensor) and value.requires_grad else None


def _checking(emulation: Emulation, apply: Any) -> Any:
    @wraps(apply)
    def checked(self: Any, *args: Any) -> Any:
        result = apply(self, *args)
        grads = result if isinstance(result, tuple) else (result,)
        who = f"Function {type(self).__name__} returned an "
        placed = tuple(_placed(emulation, who, grads, getattr(self, _DEVICES, [])))
        return placed if isinstance(result, tuple) else placed[0]

    return checked


def _placed(
    emulation: Emulation, who: str, grads: Sequence[Any], devices: Sequence[Any]
) -> Iterator[Any]:
    """The gradients; the engine moves one of a single number itself."""
    for place, grad in enumerate(grads):
        device = devices[place] if place < len(devices) else None
        if device is None or not _is_elsewhere(grad, device):
            yield grad
        elif grad.dim() == 0:
            yield grad.to(device)
        else:
            message = (
                f"{who}invalid gradient at index {place} - expected device {device} but got "
                f"{device_of(grad)}"
            )
            emulation.record.refuse("gradient", message, [grad])
            yield grad


def _is_elsewhere(grad: Any, device: Any) -> bool:
    if not isinstance(grad, torch.Tensor) or device_of(grad) == device:
        return False
    claim = claim_of(grad)
    return claim is None or not claim.is_open
