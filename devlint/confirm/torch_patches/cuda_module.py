"""`torch.cuda` and `torch.accelerator`: how many devices there are, and what they can do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import torch

from devlint.confirm.device_tags.devices import Devices
from devlint.confirm.device_tags.tag import device_of
from devlint.confirm.torch_patches.memory import TOTAL
from devlint.confirm.torch_patches.session import Emulation

NAME = "Emulated CUDA"
CAPABILITY = (9, 0)
#: Of a wheel that was built without CUDA; torchvision and torchaudio compare any other with theirs.
_VERSION = "12.6"
_PROPERTIES = SimpleNamespace(
    name=NAME,
    major=CAPABILITY[0],
    minor=CAPABILITY[1],
    multi_processor_count=132,
    is_integrated=0,
    is_multi_gpu_board=0,
    gcnArchName="",
    warp_size=32,
    uuid="00000000-0000-0000-0000-000000000000",
    max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65536,
    shared_memory_per_block=49152,
    L2_cache_size=50 << 20,
)


def install(emulation: Emulation) -> None:
    put_all, devices = emulation.patches.put_all, emulation.devices
    put_all(torch.cuda, _presence(devices) | _capabilities(emulation) | _settings())
    put_all(torch.accelerator, _presence(devices) | _accelerator(devices))
    put_all(torch._C, {"_get_accelerator": lambda check=False: torch.device("cuda")})
    put_all(torch.cuda.nvtx, dict.fromkeys(_MARKS, lambda *args, **kwargs: 0))
    put_all(torch.cuda.nvtx, {"range": lambda *args, **kwargs: nullcontext()})
    put_all(torch.cuda.profiler, dict.fromkeys(("start", "stop"), lambda: None))
    put_all(torch.version, {"cuda": torch.version.cuda or _VERSION})
    put_all(torch.backends.cudnn, {"is_available": lambda: True, "version": lambda: 90000})
    put_all(torch.backends.cuda, {"is_built": lambda: True})


_MARKS = ("mark", "range_push", "range_pop", "range_start", "range_end")


def _presence(devices: Devices) -> dict[str, Any]:
    def set_device(device: Any) -> None:
        if not isinstance(device, int) or device >= 0:
            devices.current = devices.index(device)

    return {
        "is_available": lambda: True,
        "device_count": lambda: devices.count,
        "current_device": lambda: devices.current,
        "current_device_idx": lambda: devices.current,
        "current_device_index": lambda: devices.current,
        "set_device": set_device,
        "set_device_idx": set_device,
        "set_device_index": set_device,
        "device": _entered(devices, devices.index),
        "device_of": _entered(devices, lambda tensor: _index_of(devices, tensor)),
        "device_index": _entered(devices, devices.index),
        "_lazy_init": lambda: None,
        "_initialized": True,
        "init": lambda: None,
        "is_initialized": lambda: True,
    }


def _index_of(devices: Devices, tensor: Any) -> int:
    """Where a tensor is, or the current device if it is on none of CUDA."""
    index = device_of(tensor).index
    return devices.current if index is None else int(index)


def _entered(devices: Devices, index: Callable[[Any], int]) -> type:
    class Entered:
        """Makes a device the current one for a while."""

        def __init__(self, device: Any) -> None:
            self.idx = index(device)

        def __enter__(self) -> None:
            self._before, devices.current = devices.current, self.idx

        def __exit__(self, *exception: object) -> None:
            devices.current = self._before

    return Entered


def _capabilities(emulation: Emulation) -> dict[str, Any]:
    total = emulation.room.limit or TOTAL

    def properties(device: Any = None) -> Any:
        emulation.devices.index(device)
        return SimpleNamespace(**vars(_PROPERTIES), total_memory=total)

    return {
        "get_device_name": lambda device=None: properties(device).name,
        "get_device_capability": lambda device=None: (
            properties(device).major,
            properties(device).minor,
        ),
        "get_device_properties": properties,
        "is_bf16_supported": lambda including_emulation=True: True,
        "is_tf32_supported": lambda: True,
        "can_device_access_peer": lambda device, peer_device: True,
        "get_arch_list": lambda: ["sm_90"],
        "get_gencode_flags": lambda: "-gencode compute=compute_90,code=sm_90",
        "has_half": True,
        "has_magma": True,
        "utilization": lambda device=None: 0,
        "temperature": lambda device=None: 0,
        "power_draw": lambda device=None: 0,
        "clock_rate": lambda device=None: 0,
    }


def _settings() -> dict[str, Any]:
    return {
        "get_sync_debug_mode": lambda: 0,
        "set_sync_debug_mode": lambda debug_mode: None,
        "get_allocator_backend": lambda: "native",
        "current_blas_handle": lambda: 0,
        "current_solver_handle": lambda: 0,
    }


def _accelerator(devices: Devices) -> dict[str, Any]:
    def current(check_available: bool = False) -> Any:
        return torch.device("cuda")

    return {
        "current_accelerator": current,
        "get_device_capability": lambda device=None: {"supported_dtypes": set()},
    }
