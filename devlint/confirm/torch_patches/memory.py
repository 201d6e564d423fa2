"""Memory of the emulated devices: as much as there is, and none of it in use."""

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
    functions: dict[str, Any] = {
        **dict.fromkeys(_NONE.split(), lambda device=None: 0),
        **dict.fromkeys(_NOTHING.split(), lambda *args, **kwargs: None),
        **dict.fromkeys(_STATISTICS.split(), lambda device=None: Counter()),
        "mem_get_info": lambda device=None: (TOTAL, TOTAL),
        "get_memory_info": lambda device=None: (TOTAL, TOTAL),
        "_snapshot": lambda device=None, **options: {"segments": [], "device_traces": []},
        "memory_snapshot": lambda *args, **kwargs: [],
        "memory_summary": lambda device=None, abbreviated=False: "Emulated: no memory is in use.",
        "list_gpu_processes": lambda device=None: "Emulated: no processes are running",
        "get_per_process_memory_fraction": lambda device=None: 1.0,
    }
    for owner in (torch.cuda, torch.cuda.memory, torch.accelerator):
        emulation.patches.put_all(owner, functions)
