"""Functions known to move, call and keep none of their arguments."""

from __future__ import annotations

from devlint.facts.effect import Fact, Inert

_INERT: dict[str, str] = {
    "builtins": "print len isinstance issubclass range zip enumerate type str repr int float bool "
    "complex abs divmod pow round sum max min any all sorted reversed list tuple dict set "
    "frozenset slice bytes bytearray hash id iter ord chr bin hex oct ascii format hasattr "
    "callable dir input object",
    "torch": "no_grad enable_grad inference_mode set_grad_enabled is_grad_enabled autocast "
    "is_tensor is_storage is_inference_mode_enabled set_default_dtype "
    "set_num_threads get_num_threads set_num_interop_threads set_printoptions seed initial_seed "
    "get_rng_state use_deterministic_algorithms set_warn_always finfo iinfo Size "
    "are_deterministic_algorithms_enabled set_float32_matmul_precision "
    "get_float32_matmul_precision set_flush_denormal is_autocast_enabled can_cast",
    "torch.autograd": "set_detect_anomaly detect_anomaly",
    "torch.autograd.profiler": "profile record_function emit_nvtx",
    "torch.profiler": "profile record_function schedule",
    "torch.amp": "autocast",
    "torch.cuda.amp": "autocast",
    "torch.random": "fork_rng seed initial_seed get_rng_state",
    "torch.cuda": "is_available device_count synchronize empty_cache set_device device init "
    "manual_seed manual_seed_all seed seed_all initial_seed get_rng_state "
    "get_rng_state_all set_rng_state_all get_device_name get_device_properties "
    "get_device_capability memory_allocated max_memory_allocated memory_reserved "
    "max_memory_reserved memory_summary memory_stats reset_peak_memory_stats mem_get_info "
    "reset_max_memory_allocated ipc_collect is_initialized is_bf16_supported Stream Event stream "
    "current_stream default_stream get_arch_list set_per_process_memory_fraction",
    "torch.cuda.nvtx": "range range_push range_pop mark",
    "torch.accelerator": "is_available device_count synchronize set_device_index "
    "set_device_idx current_stream empty_cache memory_allocated",
    "torch.mps": "empty_cache synchronize manual_seed current_allocated_memory",
    "torch.xpu": "is_available device_count synchronize empty_cache set_device manual_seed "
    "manual_seed_all",
    "torch.backends.mps": "is_available is_built",
    "torch.backends.cudnn": "is_available version flags",
    "torch.backends.cuda": "is_built sdp_kernel",
    "torch.backends.mkldnn": "is_available",
    "torch.utils.data": "get_worker_info",
    "torch.overrides": "is_tensor_like",
    "os": "getenv listdir makedirs mkdir getcwd remove cpu_count getpid walk scandir",
    "os.path": "join exists isfile isdir basename dirname abspath realpath splitext expanduser "
    "relpath getsize normpath split",
    "os.environ": "get setdefault",
    "pathlib": "Path PurePath",
    "time": "time perf_counter monotonic process_time sleep strftime localtime time_ns",
    "datetime.datetime": "now",
    "random": "seed random randint choice uniform randrange gauss getrandbits",
    "math": "sqrt log exp ceil floor pow sin cos tan prod log2 log10 isnan isinf isclose",
    "numpy.random": "seed default_rng",
    "logging": "debug info warning error exception critical log getLogger basicConfig",
    "warnings": "warn filterwarnings simplefilter catch_warnings",
    "gc": "collect",
    "sys": "exit getsizeof",
    "json": "dumps loads load",
}

FUNCTIONS: dict[str, Fact] = {
    f"{module}.{name}": Inert("") for module, names in _INERT.items() for name in names.split()
}
