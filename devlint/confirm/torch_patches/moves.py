"""Moves of tensors: the data is copied on the CPU, and the copy claims the new device."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import forward_ad
from torch.overrides import handle_torch_function, has_torch_function_unary

from devlint.confirm.device_tags.carried import PHASE
from devlint.confirm.device_tags.provenance import birth
from devlint.confirm.device_tags.tag import (
    CPU,
    Claim,
    claim_storage,
    device_of,
    is_wrapper,
    place,
    storage_claim,
)
from devlint.confirm.torch_patches.session import Emulation

_to = torch.Tensor.to


class _Move(torch.autograd.Function):  # type: ignore[misc]
    """A move that autograd knows: the gradient goes back to where the tensor was."""

    generate_vmap_rule = True

    @staticmethod
    def forward(tensor: Any, device: Any) -> Any:
        return _copied(tensor, device)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        tensor, ctx.target = inputs
        ctx.origin = device_of(tensor)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return moved(gradient, ctx.origin), None

    @staticmethod
    def jvp(ctx: Any, tangent: Any, _: Any) -> Any:
        return moved(tangent, ctx.target)


def moved(tensor: Any, device: Any) -> Any:
    """A copy on another device."""
    has_gradient = tensor.requires_grad and torch.is_grad_enabled()
    has_tangent = forward_ad._current_level >= 0
    move = _Move.apply if has_gradient or has_tangent else _copied
    copy = move(tensor, device)
    if PHASE.moves is not None:
        PHASE.moves.append((tensor, copy))
    return copy


def _copied(tensor: Any, device: Any) -> Any:
    return place(tensor.detach().clone(), device, birth())


class Moves:
    """The methods of `Tensor` that move it."""

    def __init__(self, emulation: Emulation) -> None:
        self._named, self._room = emulation.devices.named, emulation.room
        self._parse = torch._C._nn._parse_to

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        """`torch._C._nn._parse_to`, which modules call too, with devices that are not there."""
        if args and type(args[0]) is int:
            args = (self._named(args[0]), *args[1:])
        if type(kwargs.get("device")) is int:
            kwargs["device"] = self._named(kwargs["device"])
        device, *others = self._parse(*args, **kwargs)
        other = args[0] if args else kwargs.get("tensor")
        return device_of(other) if isinstance(other, torch.Tensor) else device, *others

    def to(self, tensor: Any, /, *args: Any, **kwargs: Any) -> Any:
        other = args[0] if args else kwargs.pop("tensor", None)
        if isinstance(other, torch.Tensor):
            return self.to(tensor, device_of(other), other.dtype, *args[1:], **kwargs)
        is_copy, args = _copy_flag(args, kwargs)
        device, dtype, _, layout = self.parse(*args, **kwargs)
        origin = device_of(tensor)
        target = origin if device is None else self._named(device)
        if "meta" in (origin.type, target.type) or target.type not in ("cpu", "cuda"):
            return _to(tensor, *_really(args), copy=is_copy, **_really_named(kwargs))
        if device is not None and (torch.jit.is_tracing() or is_wrapper(tensor)):
            return _dispatched(tensor, target, dtype or tensor.dtype)
        is_same = target == origin
        if dtype is not None or layout is not None:
            options = {} if layout is None else {"memory_format": layout}
            tensor = _to(tensor, dtype or tensor.dtype, copy=is_copy and is_same, **options)
        elif is_copy and is_same:
            tensor = tensor.clone()
        return tensor if is_same else self._room.take(moved(tensor, target))


def _dispatched(tensor: Any, device: Any, dtype: Any) -> Any:
    """By an operator that graphs keep, subclasses hear of and the dispatch mode knows."""
    options = {"dtype": None, "layout": None, "device": device, "pin_memory": False}
    return torch.ops.aten.to.dtype_layout(_to(tensor, dtype), copy=True, **options)


def _copy_flag(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[bool, tuple[Any, ...]]:
    """`copy` by name, or as the last after `non_blocking`, of which the parser knows nothing."""
    if "copy" in kwargs:
        return bool(kwargs.pop("copy")), args
    flags = [place for place, value in enumerate(args) if isinstance(value, bool)]
    return (bool(args[-1]), args[:-1]) if len(flags) > 1 else (False, args)


def _really(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same for C++, which sees the CPU instead of CUDA."""
    return tuple(CPU if _names_cuda(value) else value for value in args)


def _really_named(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {name: CPU if _names_cuda(value) else value for name, value in kwargs.items()}


def _names_cuda(value: Any) -> bool:
    if isinstance(value, torch.device):
        return bool(value.type == "cuda")
    return isinstance(value, str) and value.startswith("cuda")


def install(emulation: Emulation) -> None:
    moves = Moves(emulation)

    def to(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if has_torch_function_unary(self):
            return handle_torch_function(to, (self,), self, *args, **kwargs)
        return moves.to(self, *args, **kwargs)

    def cuda(
        self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = None
    ) -> Any:
        return to(self, emulation.devices.cuda(device), memory_format=memory_format)

    def cpu(self: Any, memory_format: Any = None) -> Any:
        return to(self, CPU, memory_format=memory_format)

    def type_as(self: Any, other: Any) -> Any:
        return to(self, device_of(other), other.dtype)

    emulation.patches.put(torch._C._nn, "_parse_to", moves.parse)
    for method in (to, cuda, cpu, type_as):
        emulation.patches.put(torch.Tensor, method.__name__, method)
    lazy = torch.nn.parameter.UninitializedTensorMixin
    emulation.patches.put(lazy, "_allowed_methods", [*lazy._allowed_methods, to, cuda, cpu])
    _keep_claims_of_copies(emulation)


def _keep_claims_of_copies(emulation: Emulation) -> None:
    """`copy.deepcopy` and `torch.load` copy and move storages, not tensors."""
    storage = torch.UntypedStorage
    clone = storage.clone

    def cloned(self: Any) -> Any:
        copy, claim = clone(self), storage_claim(self)
        if claim is not None:
            claim_storage(copy, claim.copied())
        return copy

    def to(self: Any, *, device: Any, non_blocking: bool = False) -> Any:
        copy = clone(self)
        claim_storage(copy, Claim(emulation.devices.named(device), birth()))
        return copy

    def cuda(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
        return to(self, device=emulation.devices.cuda(device))

    def cpu(self: Any) -> Any:
        claim = storage_claim(self)
        return self if claim is None or claim.device == CPU else to(self, device=CPU)

    functions = {"clone": cloned, "to": to, "cuda": cuda, "cpu": cpu}
    emulation.patches.put_all(storage, functions)
