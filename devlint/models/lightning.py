"""What Fabric and the Trainer of Lightning choose and place (2.6)."""

from __future__ import annotations

from devlint.facts.effect import Fact, Inert, Wraps
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models.class_loaders import made_of_file
from devlint.models.placement import GIVEN, HANDLERS, Carries, Initialises, Placer, Places
from devlint.values.value import Value, as_device

_SETS_UP = (("move_to_device", True),)
_TORCH = r"(pytorch_lightning|lightning(\.pytorch)?)\."

_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (
        r"(lightning\.fabric|lightning_fabric|lightning)\.(fabric\.)?Fabric",
        # Other strategies move inputs or shard modules.
        Placer(
            "-accelerator -strategy", "Fabric", named="accelerator", only=(("strategy", "auto"),)
        ),
    ),
    (_TORCH + r"(trainer\.)?(trainer\.)?Trainer", Placer("-logger", "lightning.Trainer")),
    (rf"({_TORCH}|lightning\.fabric\.|lightning_fabric\.)seed_everything", Inert("")),
)

_INERT = (
    "backward autocast clip_gradients no_backward_sync print log log_dict barrier save "
    "load load_raw seed_everything rank_zero_first"
)

_FABRIC: dict[str, Fact] = {
    "setup": Places("self module *optimizers scheduler", to="self", only=_SETS_UP),
    "setup_module": Places("self module", to="self", only=_SETS_UP),
    "setup_optimizers": Places("self *optimizers", to="self"),
    "setup_dataloaders": Places("self *dataloaders", to="self", only=_SETS_UP),
    "to_device": Carries("self obj"),
    "init_module": Initialises("self -empty_init"),
    "init_tensor": Initialises("self"),
    **dict.fromkeys(_INERT.split(), Inert("")),
    **dict.fromkeys(("all_reduce", "broadcast"), Wraps("data")),
}

#: Since 1.3 what was fitted goes back to the CPU, on every strategy.
_TRAINER: dict[str, Fact] = dict.fromkeys(
    ("fit", "validate", "test", "predict", "tune"),
    Places("model *loaders", gives=True, returns=True),
)


def loaded(machine: Run, call: Call) -> Value | None:
    """`Net.load_from_checkpoint(path)` is where it was saved, unless it is told the CPU."""
    given = call.arguments.get(1, "map_location")
    device = None if given is None else as_device(given.value)
    return made_of_file(machine, call, is_on_cpu=device is not None and device.is_cpu)


MODEL = LibraryModel[Run](
    packages=frozenset({"lightning", "lightning_fabric", "pytorch_lightning"}),
    moves=True,
    patterns=_PATTERNS,
    methods={"Fabric": _FABRIC, "lightning.Trainer": _TRAINER},
    handlers=HANDLERS,
    given=GIVEN,
    calls={"load_from_checkpoint": loaded},
    words=frozenset({"Fabric", "setup_module", "setup_dataloaders"}),
    preparers=frozenset({"Fabric"}),
    bases=("LightningModule",),
    hooks=frozenset({"on_before_batch_transfer"}),
)
