"""Memory without tensors: storages, and what other libraries are handed by DLPack."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from devlint.confirm.device_tags.device_event import BufferExportError
from devlint.confirm.device_tags.provenance import birth, is_users
from devlint.confirm.device_tags.tag import (
    CPU,
    Claim,
    claim_storage,
    device_of,
    holder,
    storage_claim,
)
from devlint.confirm.torch_patches.session import Emulation

_untyped_device = torch._C.StorageBase.device.__get__
_dlpack = torch.Tensor.__dlpack__
_REFUSED = "Unsupported device in DLTensor."


def install(emulation: Emulation) -> None:
    put = emulation.patches.put
    for kind in (torch.UntypedStorage, torch.TypedStorage):
        put(kind, "device", property(_storage_device))
        put(kind, "is_cuda", property(lambda storage: _storage_device(storage, 2).type == "cuda"))
        put(kind, "get_device", lambda storage: _index(_storage_device(storage, 2)))
    exchange = _Exchange(emulation)
    put(torch.Tensor, "__dlpack__", _wrapped(_dlpack, exchange.exported))
    functions = {
        "to_dlpack": exchange.handed(torch.utils.dlpack.to_dlpack),
        "from_dlpack": exchange.imported(torch.from_dlpack),
    }
    for owner in (torch, torch.utils.dlpack):
        emulation.patches.put_all(owner, functions)


def _storage_device(storage: Any, depth: int = 1) -> Any:
    """The claim for the program; PyTorch copies memory by it, and sees where that really is."""
    bare = getattr(storage, "_untyped_storage", storage)
    claim = storage_claim(bare)
    is_asked = is_users(sys._getframe(depth).f_code.co_filename)
    return claim.device if claim is not None and is_asked else _untyped_device(bare)


def _index(device: Any) -> int:
    return -1 if device.index is None else int(device.index)


def _wrapped(original: Callable[..., Any], new: Callable[..., Any]) -> Callable[..., Any]:
    return wraps(original)(lambda *args, **kwargs: new(*args, **kwargs))


class _Exchange:
    """Capsules do not tell whose memory they have; while one is there, its address does."""

    def __init__(self, emulation: Emulation) -> None:
        self._record = emulation.record
        self._devices: dict[int, Any] = {}

    def exported(self, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        """NumPy says which version of DLPack it knows, and no stream, for it takes no CUDA."""
        if "max_version" in kwargs and "stream" not in kwargs and device_of(tensor).type == "cuda":
            self._record.refuse("export", _REFUSED, [tensor], BufferExportError)
        self._devices[tensor.data_ptr()] = device_of(tensor)
        return _dlpack(tensor, *args, **kwargs)

    def handed(self, to_dlpack: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(to_dlpack)
        def handed(tensor: Any) -> Any:
            self._devices[tensor.data_ptr()] = device_of(tensor)
            return to_dlpack(tensor)

        return handed

    def imported(self, from_dlpack: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(from_dlpack)
        def imported(ext_tensor: Any, **kwargs: Any) -> Any:
            made = from_dlpack(ext_tensor, **kwargs)
            device = self._devices.pop(made.data_ptr(), None)
            is_open = device is None and type(ext_tensor).__name__ == "PyCapsule"
            claim_storage(holder(made), Claim(device or CPU, birth(), is_open=is_open))
            return made

        return imported
