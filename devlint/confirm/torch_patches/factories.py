"""Factories: what they make on CUDA is made on the CPU and claims to be there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import wraps
from typing import Any

import torch
import torch.utils._device
from torch.utils._device import DeviceContext

from devlint.confirm.device_tags.provenance import birth
from devlint.confirm.device_tags.tag import CPU, claim_of, device_of, pin, place
from devlint.confirm.torch_patches.generators import check_generator
from devlint.confirm.torch_patches.moves import moved
from devlint.confirm.torch_patches.patches import owner_of
from devlint.confirm.torch_patches.session import Emulation
from devlint.facts.dimensions import Size
from devlint.facts.effect import Fact, Makes, MakesLike
from devlint.facts.table import FACTS

#: Made before anything is replaced: PyTorch knows factories by the functions themselves.
_CONSTRUCTORS = torch.utils._device._device_constructors()
#: These share the memory of what they are given, if they can.
_SHARING = ("as_tensor", "asarray")
#: With `device=` these move what they are made of.
_PARTS = ("sparse_",)


def install(emulation: Emulation) -> None:
    wrapped: dict[Any, Any] = {}
    for owner, name, fact in _factories():
        original = getattr(owner, name)
        wrapped[original] = _made(emulation, original, fact)
        emulation.patches.put(owner, name, wrapped[original])
    emulation.patches.put_everywhere(
        {original: new for original, new in wrapped.items() if original in _CONSTRUCTORS}
    )
    emulation.patches.put(DeviceContext, "__torch_function__", _in_context(emulation, wrapped))


def _factories() -> Iterator[tuple[Any, str, Fact]]:
    """The owner, the name and the fact of each factory; those without a fact are plain ones."""
    known = {name: fact for name, fact in FACTS.items() if _is_factory(name, fact)}
    named = set[Any]()
    for name, fact in known.items():
        with suppress(AttributeError):  # Not all versions, and not all modules that are imported.
            owner, last = owner_of(name)
            named.add(getattr(owner, last))
            yield owner, last, fact
    for module in (torch, torch.fft):
        for last, value in list(vars(module).items()):
            if _is_constructor(value) and value not in named:
                yield module, last, Makes("*-size", Size.UNKNOWN)


def _is_factory(name: str, fact: Fact) -> bool:
    """Constructors of types (`torch.FloatTensor`) are no functions: `legacy` has them."""
    is_function = name.rpartition(".")[2][0].islower() and name != "torch.Tensor.new"
    return name.startswith("torch.") and is_function and isinstance(fact, (Makes, MakesLike))


def _is_constructor(value: Any) -> bool:
    return callable(value) and not isinstance(value, type) and value in _CONSTRUCTORS


def _made(emulation: Emulation, original: Any, fact: Fact) -> Any:
    maker = _Maker(emulation, original, fact)

    @wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        return maker(*args, **kwargs)

    return make


class _Maker:
    """Calls one factory for the CPU, and claims the device that it was asked for."""

    def __init__(self, emulation: Emulation, original: Any, fact: Fact) -> None:
        self._emulation, self._original, self._fact = emulation, original, fact
        self._name = original.__name__
        self._takes_data = isinstance(fact, Makes) and fact.size is Size.DATA
        self._shares = self._takes_data and self._name in _SHARING
        self._has_default = isinstance(fact, Makes) and fact.honours_default

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        device = self._requested(kwargs)
        if device is not None and device.type not in ("cpu", "cuda"):
            return self._original(*args, **kwargs)
        self._check_generator(args, kwargs, device)
        source = next((each for each in args[:2] if isinstance(each, torch.Tensor)), None)
        if torch.jit.is_tracing() and not self._takes_data:
            made = self._original(*args, **_named(kwargs, device))
            return self._placed(made, source, device)
        if device is not None:
            kwargs["device"] = CPU
            if self._shares and source is not None:
                return self._of_tensor(source, device, args, kwargs)
            if self._name.startswith(_PARTS):
                args = tuple(_to(each, device) for each in args)
        is_pinned = kwargs.pop("pin_memory", False)
        made = self._made(args, kwargs, device, is_pinned)
        is_new = isinstance(made, torch.Tensor) and kwargs.get("out") is None
        if not is_new:
            return made
        placed = self._emulation.room.take(self._placed(made, source, device))
        return pin(placed) if is_pinned else placed

    def _requested(self, kwargs: dict[str, Any]) -> Any:
        """The device that is asked for, by name or as the default one; `None`: nobody asks."""
        if kwargs.get("device") is not None:
            return self._emulation.devices.named(kwargs["device"])
        if self._has_default and torch.utils._device.CURRENT_DEVICE is not None:
            return self._emulation.devices.default()
        return None

    def _check_generator(self, args: Any, kwargs: dict[str, Any], device: Any) -> None:
        generator = kwargs.get("generator")
        if generator is None or kwargs.get("out") is not None:
            return
        sources = [device_of(each) for each in args if isinstance(each, torch.Tensor)]
        where = device or (sources[0] if sources else CPU)
        check_generator(generator, where, self._emulation.record)

    def _of_tensor(self, source: Any, device: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """`as_tensor` and `asarray` of a tensor; only `asarray` makes leaves of others."""
        is_copied = device != device_of(source)
        makes_leaf = self._name == "asarray"
        if is_copied and makes_leaf and kwargs.setdefault("copy", True) is False:
            where = f"can't alias tensor with device '{device_of(source)}' into device '{device}'."
            raise ValueError(where)
        made = self._emulation.makers.make(self._original, args, kwargs)
        if not is_copied:
            return made
        is_new = makes_leaf and made.grad_fn is None
        return place(made, device, birth()) if is_new else moved(made, device)

    def _made(self, args: Any, kwargs: dict[str, Any], device: Any, is_pinned: bool) -> Any:
        if is_pinned and device is not None and device.type == "cuda":
            raise RuntimeError("Only dense CPU tensors can be pinned")
        made = self._emulation.makers.make(self._original, args, kwargs)
        if not self._shares or device is None or device.type != "cuda":
            return made
        # What shares memory with an array on the CPU is a copy elsewhere.
        return made.detach().clone().requires_grad_(made.requires_grad)

    def _placed(self, made: Any, source: Any, device: Any) -> Any:
        if device is not None:
            return place(made, device, birth())
        if isinstance(self._fact, Makes) and not (self._takes_data and source is not None):
            return place(made, CPU, birth())
        return made if claim_of(made) is not None else place(made, _origin(source), birth())


def _named(kwargs: dict[str, Any], device: Any) -> dict[str, Any]:
    """The device by its index: a graph keeps it, and the dispatch mode sees it."""
    return kwargs if device is None else {**kwargs, "device": device}


def _origin(source: Any) -> Any:
    return CPU if source is None else device_of(source)


def _to(value: Any, device: Any) -> Any:
    return value.to(device) if isinstance(value, torch.Tensor) else value


def _in_context(emulation: Emulation, wrapped: dict[Any, Any]) -> Any:
    """`set_default_device` and `with torch.device(..)` where a factory was imported by name."""

    def call(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in _CONSTRUCTORS and kwargs.get("device") is None:
            kwargs["device"] = emulation.devices.named(self.device)
            return wrapped.get(func, func)(*args, **kwargs)
        return func(*args, **kwargs)

    return call
