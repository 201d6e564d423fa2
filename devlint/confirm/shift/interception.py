"""Where calls into the package are noticed: modules of it, their constructors, and backward."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import torch

from devlint.confirm.shift.calls import Shift
from devlint.confirm.torch_patches.session import Emulation

_Module = torch.nn.Module


def install(emulation: Emulation, shift: Shift) -> None:
    put = emulation.patches.put
    put(_Module, "__call__", _calling(shift))
    put(_Module, "__init_subclass__", classmethod(_of_new_classes(emulation, shift)))
    for kind in _subclasses(_Module):
        _watch(kind, emulation, shift)
    _watch_backward(emulation, shift)


def _calling(shift: Shift) -> Callable[..., Any]:
    call = _Module.__call__

    @wraps(call)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        if shift.package.has_module(_home(type(self))):
            return shift.call(call, self, args, kwargs)
        return call(self, *args, **kwargs)

    return called


def _home(kind: type) -> object:
    """The module of the class that has the `forward` of `kind`."""
    owner = next((each for each in kind.__mro__ if "forward" in vars(each)), kind)
    return owner.__module__


def _of_new_classes(emulation: Emulation, shift: Shift) -> Callable[..., None]:
    def created(cls: Any, **options: Any) -> None:
        super(_Module, cls).__init_subclass__(**options)
        _watch(cls, emulation, shift)

    return created


def _watch(kind: type, emulation: Emulation, shift: Shift) -> None:
    """Constructors of the package, and what it puts in the place of `Module.__call__`."""
    if not shift.package.has_module(kind.__module__):
        return
    for name, watched in (("__init__", _constructing), ("__call__", _overridden)):
        if inspect.isfunction(own := vars(kind).get(name)):
            emulation.patches.put(kind, name, watched(shift, own))


def _constructing(shift: Shift, function: Any) -> Any:
    @wraps(function)
    def construct(*args: Any, **kwargs: Any) -> Any:
        return shift.construct(function, args, kwargs)

    return construct


def _overridden(shift: Shift, function: Any) -> Any:
    @wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return shift.call(function, self, args, kwargs)

    return call


def _watch_backward(emulation: Emulation, shift: Shift) -> None:
    for owner, name in (
        (torch.Tensor, "backward"),
        (torch.autograd, "backward"),
        (torch.autograd, "grad"),
    ):
        emulation.patches.put(owner, name, _differentiating(shift, getattr(owner, name)))


def _differentiating(shift: Shift, function: Any) -> Any:
    @wraps(function)
    def differentiate(*args: Any, **kwargs: Any) -> Any:
        return shift.backward(function, args, kwargs)

    return differentiate


def _subclasses(kind: Any) -> Iterator[type]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)
