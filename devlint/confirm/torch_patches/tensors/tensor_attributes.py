"""What tensors say of themselves: device, type, gradient, pinning; and their arrays of NumPy."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch

from devlint.confirm.device_tags.device_event import ExportError
from devlint.confirm.device_tags.provenance import birth
from devlint.confirm.device_tags.tag import (
    Claim,
    claim_of,
    claim_storage,
    device_of,
    holder,
    is_on_accelerator,
)
from devlint.confirm.torch_patches.session import Emulation
from devlint.facts.effect import Exports
from devlint.facts.moves import METHODS

_Tensor = torch.Tensor
_gradient = torch._C.TensorBase.grad
_type = torch.Tensor.type


def install(emulation: Emulation) -> None:
    attributes = {
        "device": property(device_of),
        "is_cuda": property(is_on_accelerator),
        "is_cpu": property(lambda tensor: device_of(tensor).type == "cpu"),
        "get_device": _get_device,
        "grad": _checked_gradient(emulation),
        "type": _typed(emulation),
        "pin_memory": _pinning(emulation),
        "is_pinned": _is_pinned,
        "record_stream": lambda tensor, stream: None,
    }
    attributes |= {
        name: _exporting(emulation, name)
        for name, fact in METHODS.items()
        if isinstance(fact, Exports)
    }
    attributes |= {name: _calling_python(emulation, name) for name in ("apply_", "map_", "map2_")}
    for name, attribute in attributes.items():
        emulation.patches.put(_Tensor, name, attribute)


def _get_device(tensor: Any) -> int:
    device = device_of(tensor)
    return -1 if device.index is None else int(device.index)


def _checked_gradient(emulation: Emulation) -> property:
    def assign(tensor: Any, gradient: Any) -> None:
        if gradient is not None and device_of(gradient) != device_of(tensor):
            emulation.record.refuse(
                "gradient",
                "attempting to assign a gradient with device type "
                f"'{device_of(gradient).type}' to a tensor with device type "
                f"'{device_of(tensor).type}'. Please ensure that the gradient and the tensor are "
                "on the same device",
                [tensor, gradient],
            )
        _gradient.__set__(tensor, gradient)

    return property(_gradient.__get__, assign, _gradient.__delete__)


def _typed(emulation: Emulation) -> Any:
    """`Tensor.type`: the name of the type, or a move and a conversion."""

    def type(self: Any, dtype: Any = None, non_blocking: bool = False) -> Any:
        if dtype is None:
            name = _type(self)
            return name.replace("torch.", "torch.cuda.") if is_on_accelerator(self) else name
        if isinstance(dtype, torch.dtype):
            return self.to(dtype)
        name = dtype if isinstance(dtype, str) else f"{dtype.__module__}.{dtype.__name__}"
        legacy = getattr(torch, name.rpartition(".")[2])
        return self.to("cuda" if name.startswith("torch.cuda.") else "cpu", legacy.dtype)

    return type


def _exporting(emulation: Emulation, name: str) -> Any:
    """`numpy` and `__array__`, which do not move by themselves unless told to."""
    original = getattr(_Tensor, name)

    @wraps(original)
    def export(self: Any, *args: Any, **kwargs: Any) -> Any:
        device = device_of(self)
        if device.type == "cuda" and not kwargs.get("force"):
            emulation.record.refuse(
                "export",
                f"can't convert {device} device type tensor to numpy. Use Tensor.cpu() to copy "
                "the tensor to host memory first.",
                [self],
                ExportError,
            )
        return original(self, *args, **kwargs)

    return export


def _calling_python(emulation: Emulation, name: str) -> Any:
    """Methods that call a function of Python with each element."""
    original = getattr(_Tensor, name)

    @wraps(original)
    def call(self: Any, *args: Any) -> Any:
        if is_on_accelerator(self):
            message = f"{name} is only implemented on CPU tensors"
            emulation.record.refuse("cpu-only", message, [self], ExportError)
        return original(self, *args)

    return call


def _pinning(emulation: Emulation) -> Any:
    def pin_memory(self: Any, device: Any = None) -> Any:
        if is_on_accelerator(self):
            message = f"cannot pin '{self.type()}' only dense CPU tensors can be pinned"
            emulation.record.refuse("pin", message, [self])
            return self
        pinned = self.detach().clone()
        copied = claim_of(pinned)
        roots = copied.roots if copied else ()
        claim_storage(holder(pinned), Claim(device_of(self), birth(), roots, is_pinned=True))
        return pinned

    return pin_memory


def _is_pinned(tensor: Any, device: Any = None) -> bool:
    claim = claim_of(tensor)
    return claim is not None and claim.is_pinned
