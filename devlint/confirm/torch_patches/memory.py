"""Memory of the emulated devices: none of it is in use, unless it has an end."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch

from devlint.confirm.torch_patches.session import Emulation

TOTAL = 80 << 30

_NONE = (
    "memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_cached "
    "max_memory_cached memory_usage device_memory_used"
)
_NOTHING = (
    "empty_cache reset_peak_memory_stats reset_max_memory_allocated reset_max_memory_cached "
    "reset_accumulated_memory_stats reset_peak_host_memory_stats empty_host_cache "
    "_record_memory_history _dump_snapshot "
    "reset_accumulated_host_memory_stats set_per_process_memory_fraction ipc_collect"
)
_STATISTICS = (
    "memory_stats memory_stats_as_nested_dict host_memory_stats host_memory_stats_as_nested_dict"
)


def install(emulation: Emulation) -> None:
    room, index = emulation.room, emulation.devices.index

    def taken(device: Any = None) -> int:
        return room.taken[index(device)]

    def free_and_total(device: Any = None) -> tuple[int, int]:
        total = room.limit or TOTAL
        return total - taken(device), total

    functions: dict[str, Any] = {
        **dict.fromkeys(_NONE.split(), taken),
        **dict.fromkeys(_NOTHING.split(), lambda *args, **kwargs: None),
        **dict.fromkeys(_STATISTICS.split(), lambda device=None: Counter()),
        **dict.fromkeys(("mem_get_info", "get_memory_info"), free_and_total),
        "_snapshot": lambda device=None, **options: {"segments": [], "device_traces": []},
        "memory_snapshot": lambda *args, **kwargs: [],
        "memory_summary": lambda device=None, abbreviated=False: "Emulated: no memory is in use.",
        "list_gpu_processes": lambda device=None: "Emulated: no processes are running",
        "get_per_process_memory_fraction": lambda device=None: 1.0,
    }
    for owner in (torch.cuda, torch.cuda.memory, torch.accelerator):
        emulation.patches.put_all(owner, functions)
