"""Diffusers (0.35): models, and the schedulers that add noise.

Source: `models/modeling_utils.py`, `schedulers/scheduling_ddpm.py`: what is added is on the device
of the samples, and the timesteps are taken there.
"""

from __future__ import annotations

from devlint.facts.dimensions import Rank
from devlint.facts.effect import Agrees, Fact, Opaque
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models.pretrained_models import PretrainedModel, made

_LOADED = r"(\.(from_pretrained|from_config))?"
_SCHEDULER = "noise scheduler"

_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (
        r"diffusers\.(models\.(\w+\.)*)?(?!Flax|EMA)"
        rf"(\w*(Model|UNet)|UNet\w+|\w*Autoencoder\w+){_LOADED}",
        PretrainedModel("", placed_by=("device_map", "quantization_config")),
    ),
    (rf"diffusers\.(schedulers\.(\w+\.)*)?(?!Flax)\w+Scheduler{_LOADED}", Opaque("", _SCHEDULER)),
)
_MIXED = Agrees("sample noise ~timesteps", Rank.SAME)

MODEL = LibraryModel[Run](
    packages=frozenset({"diffusers"}),
    moves=True,
    patterns=_PATTERNS,
    methods={_SCHEDULER: dict.fromkeys(("add_noise", "get_velocity", "scale_noise"), _MIXED)},
    handlers={PretrainedModel: made},
    bases=("ModelMixin",),
)
