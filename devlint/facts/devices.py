"""Functions that name devices or types, set the default or make generators."""

from __future__ import annotations

from devlint.facts.effect import Fact, MakesGenerator, NamesDevice, NamesType, SetsDefault

FUNCTIONS: dict[str, Fact] = {
    "torch.device": NamesDevice("-type -index"),
    "torch.get_default_device": NamesDevice(""),
    "torch.cuda.current_device": NamesDevice("", is_chosen=True),
    "torch.accelerator.current_accelerator": NamesDevice("-check_available", is_chosen=True),
    "torch.accelerator.current_device_index": NamesDevice("", is_chosen=True),
    "torch.xpu.current_device": NamesDevice("", is_chosen=True),
    "torch.get_default_dtype": NamesType(""),
    "torch.promote_types": NamesType("-type1 -type2"),
    "torch.get_autocast_dtype": NamesType("-device_type"),
    "torch.get_autocast_gpu_dtype": NamesType(""),
    "torch.set_default_device": SetsDefault("-device", "device"),
    "torch.set_default_tensor_type": SetsDefault("-t", "tensor_type"),
    "torch.Generator": MakesGenerator("-device"),
    "torch.manual_seed": MakesGenerator("-seed", is_default=True),
    "torch.default_generator": MakesGenerator("", is_default=True),
}

#: The functions that manage accelerators, and refuse a device that is the CPU.
REFUSES_CPU = frozenset(
    f"torch.cuda.{name}"
    for name in "set_device device synchronize get_device_name get_device_properties "
    "get_device_capability mem_get_info memory_summary reset_peak_memory_stats current_stream "
    "default_stream".split()
)
