"""Tensors that consist of others: for C++ they are on the CPU, whatever they say."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch._subclasses.meta_utils import MetaTensorDescriber

from devlint.confirm.device_tags.provenance import birth
from devlint.confirm.device_tags.tag import CPU, Claim, claim_storage, holder, place
from devlint.confirm.torch_patches.session import Emulation

_CUDA = "cuda"


def install(emulation: Emulation) -> None:
    put, make = emulation.patches.put, torch.Tensor._make_wrapper_subclass
    put(torch.Tensor, "_make_wrapper_subclass", staticmethod(_wrapping(emulation, make)))
    describe = MetaTensorDescriber.describe_tensor
    put(MetaTensorDescriber, "describe_tensor", _described(describe))
    nested = torch.nested.nested_tensor
    put(torch.nested, "nested_tensor", _nesting(emulation, nested))


def _wrapping(emulation: Emulation, make: Callable[..., Any]) -> Callable[..., Any]:
    """Autograd asks C++ for the device of what it differentiates."""

    @wraps(make)
    def made(*args: Any, **options: Any) -> Any:
        given = next(filter(_is_device, (*args, options.get("device"))), "cpu")
        device = emulation.devices.named(given)
        if device.type != "cuda":
            return make(*args, **options)
        args = tuple(CPU if _is_device(value) else value for value in args)
        wrapper = make(
            *args, **options | ({"device": CPU} if _is_device(options.get("device")) else {})
        )
        claim_storage(holder(wrapper), Claim(device, birth()))
        return wrapper

    return made


def _is_device(value: Any) -> bool:
    return isinstance(value, torch.device) or (isinstance(value, str) and value.startswith(_CUDA))


def _described(describe: Callable[..., Any]) -> Callable[..., Any]:
    """What becomes a fake tensor: on CUDA, autograd would end the process."""

    @wraps(describe)
    def described(*args: Any, **options: Any) -> Any:
        description = describe(*args, **options)
        if description.device.type == "cuda":
            object.__setattr__(description, "device", CPU)
        return description

    return described


def _nesting(emulation: Emulation, nest: Callable[..., Any]) -> Callable[..., Any]:
    """A nested tensor of the layout that C++ makes."""

    @wraps(nest)
    def nested(tensor_list: Any, *, device: Any = None, **options: Any) -> Any:
        if device is None or options.get("layout", torch.strided) is not torch.strided:
            return nest(tensor_list, device=device, **options)
        made = emulation.makers.make(nest, (tensor_list,), {**options, "device": CPU})
        return place(made, emulation.devices.named(device), birth())

    return nested
