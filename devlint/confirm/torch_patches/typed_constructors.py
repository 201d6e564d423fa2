"""Constructors of types: `torch.FloatTensor`, `torch.cuda.sparse.FloatTensor`, `torch.Tensor`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import torch

from devlint.confirm.device_tags.device_event import ExportError
from devlint.confirm.device_tags.provenance import birth
from devlint.confirm.device_tags.tag import CPU, device_of, is_on_accelerator, place
from devlint.confirm.torch_patches.patches import owner_of
from devlint.confirm.torch_patches.session import Emulation
from devlint.facts.effect import Makes
from devlint.facts.table import FACTS

#: Makes a tensor by a constructor, with positional and named arguments.
_Make: TypeAlias = Callable[[Any, Any, Any], Any]

_Tensor = torch.Tensor
_new = torch._C.TensorBase.__new__
_method = torch.Tensor.new


class _Legacy(type):
    """The type of a type of tensors on one device; its instances are tensors."""

    dtype: Any
    constructor: Any
    make: Any
    on_cuda: bool
    layout: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls.make(cls.constructor, args, kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        if not isinstance(instance, _Tensor) or instance.dtype != cls.dtype:
            return False
        if instance.layout is not cls.layout:
            return False
        return is_on_accelerator(instance) == cls.on_cuda


def install(emulation: Emulation) -> None:
    def made(device: Any, constructor: Any, args: Any, kwargs: Any) -> Any:
        asked = kwargs.get("device")
        if asked is not None:
            kwargs["device"] = CPU
        tensor = emulation.makers.make(constructor, args, kwargs)
        if asked is not None:
            check_type(emulation.devices.named(asked), device)
        is_alias = bool(args) and isinstance(args[0], _Tensor)
        return tensor if is_alias else place(tensor, device, birth())

    def on_cpu(constructor: Any, args: Any, kwargs: Any) -> Any:
        refuse_others(emulation, args, CPU)
        return made(CPU, constructor, args, kwargs)

    def on_cuda(constructor: Any, args: Any, kwargs: Any) -> Any:
        device = emulation.devices.named(kwargs.get("device") or "cuda")
        own = device if device.type == "cuda" else emulation.devices.named("cuda")
        refuse_others(emulation, args, own)
        return made(own, constructor, args, kwargs)

    default = {"device": "cpu"}

    def on_default(constructor: Any, args: Any, kwargs: Any) -> Any:
        return made(emulation.devices.named(default["device"]), constructor, args, kwargs)

    def set_default_tensor_type(t: Any) -> None:
        """Factories honour it too, and take their device from elsewhere."""
        kind = getattr(*owner_of(t)) if isinstance(t, str) else t
        default["device"] = "cuda" if kind.on_cuda else "cpu"
        torch.set_default_dtype(kind.dtype)
        torch.set_default_device("cuda" if kind.on_cuda else None)

    def new(self: Any, *args: Any, **kwargs: Any) -> Any:
        return made(device_of(self), partial(_method, self), args, kwargs)

    _put_types(emulation, on_cpu, on_cuda)
    emulation.patches.put(_Tensor, "new", new)
    emulation.patches.put(_Tensor, "__new__", staticmethod(_constructor(on_default)))
    emulation.patches.put(torch, "set_default_tensor_type", set_default_tensor_type)


def _put_types(emulation: Emulation, on_cpu: _Make, on_cuda: _Make) -> None:
    """What makes those of dense tensors is told, of sparse ones their parts say where they are."""

    def sparse_on_cpu(constructor: Any, args: Any, kwargs: Any) -> Any:
        return constructor(*args, **kwargs)

    def sparse_on_cuda(constructor: Any, args: Any, kwargs: Any) -> Any:
        """Of indices and values the values say where it is, whatever the type."""
        if not args or not isinstance(args[0], _Tensor):
            return on_cuda(constructor, args, kwargs)
        if (asked := kwargs.pop("device", None)) is not None:
            check_type(emulation.devices.named(asked), emulation.devices.named("cuda"))
        return constructor(*args, **kwargs)

    dense = (torch, on_cpu), (torch.cuda, on_cuda)
    sparse = (torch.sparse, sparse_on_cpu), (torch.cuda.sparse, sparse_on_cuda)
    for types in (dense, sparse):
        home, _ = types[0]
        for original in [getattr(home, name) for name in _names() if hasattr(home, name)]:
            for owner, make in types:
                name = original.__name__
                emulation.patches.put(owner, name, _type(owner, name, original, make))


def refuse_others(emulation: Emulation, args: Any, own: Any) -> None:
    """A constructor of a type takes tensors of its own device only."""
    given = args[0] if len(args) == 1 and isinstance(args[0], _Tensor) else None
    if given is not None and device_of(given).type != own.type:
        there = device_of(given)
        message = f"expected TensorOptions(device={own}) (got TensorOptions(device={there}))"
        emulation.record.refuse("several-devices", message, [given], ExportError)


def check_type(given: Any, own: Any) -> None:
    if given.type != own.type:
        raise RuntimeError(
            f"legacy constructor expects device type: {own.type} but device type: {given.type} was "
            "passed"
        )


def _names() -> list[str]:
    """`FloatTensor` and its like."""
    names = (name for name in FACTS if name.startswith("torch.") and name.count(".") == 1)
    found = [name.removeprefix("torch.") for name in names if isinstance(FACTS[name], Makes)]
    return [name for name in found if name.endswith("Tensor") and name != "Tensor"]


def _type(owner: Any, name: str, original: Any, make: Any) -> Any:
    members = {
        "__module__": owner.__name__,
        "constructor": original,
        "dtype": original.dtype,
        "make": staticmethod(make),
        "on_cuda": owner in (torch.cuda, torch.cuda.sparse),
        "layout": torch.strided if owner in (torch, torch.cuda) else torch.sparse_coo,
    }
    return _Legacy(name, (), members)


def _constructor(make: Any) -> Any:
    """`torch.Tensor(..)`, also for what is derived from it."""

    def constructed(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return make(partial(_new, cls), args, kwargs)

    return constructed
