"""What a tensor's storage claims: a device, and where it was born."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from devlint.confirm.device_tags.provenance import Birth

CPU = torch.device("cpu")
_NAME = "_devlint_claim"
#: Fake and functional tensors, which are on the CPU throughout.
_OF_COMPILERS = "torch._subclasses."
_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))
_storage = torch._C.TensorBase.untyped_storage
real_device = torch._C.TensorBase.device.__get__
_refine: Callable[[Claim, Sequence[Claim | None]], Claim] | None = None


@dataclass(slots=True, eq=False)
class Claim:
    """`roots`: where the tensors that a tensor on the CPU was computed from were born.

    `is_open`: made by C++ code on a device that Python did not see; it agrees with any. `is_left`:
    what holds it was moved, and it was not.
    """

    device: Any
    birth: Birth
    roots: tuple[Birth, ...] = ()
    is_open: bool = False
    is_pinned: bool = False
    is_left: bool = False

    def copied(self) -> Claim:
        """That of a copy, which is on the same device."""
        return Claim(self.device, self.birth, self.roots)


def holder(tensor: Any) -> Any:
    """What carries the claim: the storage, which views share; the tensor where it has none."""
    try:
        return _storage(tensor) if type(tensor) in _PLAIN else _storage_untold(tensor)
    except (NotImplementedError, RuntimeError):
        inner = unwrapped(tensor)
        return tensor if inner is tensor else holder(inner)


def _storage_untold(tensor: Any) -> Any:
    """Subclasses hear of functions that the program calls, and of no others."""
    with torch._C.DisableTorchFunctionSubclass():
        return _storage(tensor)


def unwrapped(tensor: Any) -> Any:
    """The tensor itself, without the levels of `torch.func` around it."""
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return torch._C._functorch.get_unwrapped(tensor)
    return tensor


def claim_of(tensor: Any) -> Claim | None:
    return storage_claim(holder(tensor))


def device_of(tensor: Any) -> Any:
    claim = claim_of(tensor)
    if claim is not None:
        return claim.device
    inside = inner_tensors(tensor)
    return device_of(inside[0]) if inside else real_device(tensor)


def inner_tensors(tensor: Any) -> list[Any]:
    """What a wrapper subclass says that it consists of, as compilers of PyTorch ask for it."""
    flatten = getattr(tensor, "__tensor_flatten__", None)
    inside = [getattr(tensor, name) for name in flatten()[0]] if flatten else []
    return [each for each in inside if isinstance(each, torch.Tensor)]


def dispatches(kind: Any) -> bool:
    """Whether a class of tensors has a say in operators itself."""
    return kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__


def is_wrapper(tensor: Any) -> bool:
    kind = type(tensor)
    return dispatches(kind) and not kind.__module__.startswith(_OF_COMPILERS)


def claim_storage(storage: Any, claim: Claim, sources: Sequence[Claim | None] = ()) -> None:
    """`sources`: the claims of what the storage was made of."""
    setattr(storage, _NAME, _refine(claim, sources) if _refine else claim)


def refine_claims(refine: Callable[[Claim, Sequence[Claim | None]], Claim] | None) -> None:
    """Have it say what storages claim from now on, given what they would and their sources."""
    global _refine
    _refine = refine


def storage_claim(storage: Any) -> Claim | None:
    return getattr(storage, _NAME, None)


def place(tensor: Any, device: Any, birth: Birth) -> Any:
    """The tensor, made at `birth` on `device`; what is really elsewhere stays there (`meta`)."""
    if type(tensor) is FakeTensor:
        return tensor
    for inside in inner_tensors(tensor):
        place(inside, device, birth)
    real = real_device(tensor)
    claim_storage(holder(tensor), Claim(device if real.type == "cpu" else real, birth))
    return tensor


def pin(tensor: Any) -> Any:
    """The tensor, which has a claim, in pinned memory."""
    storage_claim(holder(tensor)).is_pinned = True  # type: ignore[union-attr]
    return tensor


def is_on_accelerator(tensor: Any) -> bool:
    return bool(device_of(tensor).type == "cuda")
