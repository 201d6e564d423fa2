"""What Accelerate chooses, places and hands through (1.15)."""

from __future__ import annotations

from devlint.facts.effect import Fact, Inert, Wraps
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models.placement import GIVEN, HANDLERS, Gathers, Initialises, Placer, Places

#: `prepare` leaves the placement to these, or to nobody.
_ONLY = (
    ("device_placement", True),
    *((f"{name}_plugin", None) for name in ("fsdp", "deepspeed", "megatron_lm", "torch_tp")),
    ("deepspeed_plugins", None),
    ("parallelism_config", None),
)
_PREPARES = (("device_placement", True),)
_STATE = r"accelerate\.(state\.)?(PartialState|AcceleratorState)"
_BIG = r"accelerate\.(big_modeling\.)?"

_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (
        r"accelerate\.(accelerator\.)?Accelerator",
        Placer(
            "-device_placement -split_batches -mixed_precision -gradient_accumulation_steps -cpu",
            "Accelerator",
            stays=("cpu",),
            # With options for `DistributedDataParallel`, which the program is written for.
            feeds=("kwargs_handlers",),
            only=_ONLY,
        ),
    ),
    (_STATE, Placer("-cpu", "PartialState", stays=("cpu",))),
    # Inputs go where their layer is, outputs back to where the inputs were.
    (
        _BIG + "(dispatch_model|load_checkpoint_and_dispatch|cpu_offload|disk_offload)",
        Places("model", feeds=True),
    ),
    (_BIG + "(init_empty_weights|init_on_device)", Initialises("-device")),
    (r"accelerate\.(data_loader\.)?skip_first_batches", Wraps("dataloader -num_batches")),
    (r"accelerate\.utils\.(\w+\.)?extract_model_from_parallel", Wraps("model")),
    (r"accelerate\.utils\.(\w+\.)?(set_seed|write_basic_config)", Inert("")),
)

_INERT = (
    "accumulate autocast no_sync join_uneven_inputs main_process_first local_main_process_first "
    "wait_for_everyone print log init_trackers end_training get_tracker backward save save_state "
    "save_model load_state register_for_checkpointing clip_grad_norm_ clip_grad_value_ profile "
    "free_memory clear set_trigger check_trigger"
)
_THROUGH = "unwrap_model skip_first_batches"
_GATHERED = "gather gather_for_metrics reduce pad_across_processes"

_METHODS: dict[str, Fact] = {
    "prepare": Places("self *objects", to="self", only=_PREPARES),
    "prepare_model": Places("self model -device_placement", to="self", only=_PREPARES),
    "prepare_data_loader": Places("self data_loader -device_placement", to="self", only=_PREPARES),
    "prepare_optimizer": Places("self optimizer -device_placement", to="self", only=_PREPARES),
    "prepare_scheduler": Wraps("scheduler"),
    **dict.fromkeys(_INERT.split(), Inert("")),
    **dict.fromkeys(_THROUGH.split(), Wraps("tensor")),
    **dict.fromkeys(_GATHERED.split(), Gathers("self tensor")),
}

MODEL = LibraryModel[Run](
    packages=frozenset({"accelerate"}),
    moves=True,
    patterns=_PATTERNS,
    methods={"Accelerator": _METHODS},
    handlers=HANDLERS,
    given=GIVEN,
    words=frozenset({"Accelerator", "prepare", "prepare_model"}),
    preparers=frozenset({"Accelerator"}),
)
