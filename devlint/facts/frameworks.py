"""What the libraries around PyTorch make, move and place, by patterns of their names."""

from __future__ import annotations

import re
from functools import cache

from devlint.facts import accelerate, ignite, lightning, metrics, timm, torchtext, trainers
from devlint.facts.effect import Fact, Makes, Model, Opaque, Size, Transform

#: With these, Transformers places the module and hooks move its inputs.
_PLACED = ("device_map", "quantization_config", "load_in_8bit", "load_in_4bit")
_HUGGING = "from_pretrained|from_config|_from_config"
_LAYER = Model("", is_layer=True)
_V2 = r"torchvision\.transforms\.(v2\.)?"

#: The first pattern that a dotted name matches as a whole decides.
_FRAMEWORKS: tuple[tuple[str, Fact], ...] = (
    *accelerate.PATTERNS,
    *lightning.PATTERNS,
    *trainers.PATTERNS,
    (r"torchvision\.models\.(\w+\.)*(list_models|get_\w+|\w+_Weights\b.*)", Opaque("", "weights")),
    (r"torchvision\.models\.(\w+\.)*[A-Za-z]\w*", Model("")),
    (r"torchvision\.datasets\.(\w+\.)?[A-Z]\w*", Opaque("-root", "dataset", gives_tensors=True)),
    (_V2 + "(ToTensor|PILToTensor|ToImage)", Transform("", gives_tensor=True)),
    (_V2 + "[A-Z]\\w*", Transform("-transforms")),
    (_V2 + r"functional\.(to_tensor|pil_to_tensor|to_image)", Makes("-pic", Size.ARRAY)),
    (r"efficientnet_pytorch\.EfficientNet\.from_(name|pretrained)", Model("")),
    (r"segmentation_models_pytorch\.[A-Z]\w*", Model("")),
    (r"transformers\.(\w+\.)*(DataCollator\w*|default_data_collator)", Opaque("", "collator")),
    (rf"transformers\.(?!TF|Flax)\w*(Model|For[A-Z]\w*)(\.({_HUGGING}))?", Model("", _PLACED)),
    (r"datasets\.load_dataset", Opaque("-path", "dataset")),
    (r"torch_geometric\.nn\.(\w+\.)*[A-Z]\w*", _LAYER),
    (r"(dgl|monai|kornia)\.(\w+\.)*(nn|nets|layers)\.(\w+\.)*[A-Z]\w*", _LAYER),
    (r"timm\.(layers|models)\.(\w+\.)*[A-Z]\w*", _LAYER),
    (r"torch_geometric\.transforms\.(\w+\.)*[A-Z]\w*", Transform("-transforms")),
    (r"torch_geometric\.datasets\.\w+", Opaque("-root", "dataset")),
    (r"torch_geometric\.(loader|data)\.\w*(Loader|Sampler)", Opaque("~dataset", "loader")),
    *ignite.PATTERNS,
    *metrics.PATTERNS,
    *timm.PATTERNS,
    *torchtext.PATTERNS,
)
_HEADS = frozenset(
    (
        "torchvision timm efficientnet_pytorch segmentation_models_pytorch transformers datasets "
        "torch_geometric dgl monai kornia ignite torchmetrics torchtext accelerate lightning "
        "lightning_fabric pytorch_lightning"
    ).split()
)
#: The methods of objects that place, by kind.
_METHODS: dict[str, dict[str, Fact]] = {
    "Accelerator": accelerate.METHODS,
    "Fabric": lightning.FABRIC,
    "lightning.Trainer": lightning.TRAINER,
}


def method_of(kind: object, name: str) -> Fact | None:
    """The fact of a method of an object that places."""
    # A kind may be a class in view, which is long to tell.
    return _METHODS.get(kind, {}).get(name) if isinstance(kind, str) else None


@cache
def framework_fact(name: str) -> Fact | None:
    """The fact of a dotted name of a library other than PyTorch."""
    if name.partition(".")[0] not in _HEADS:
        return None
    found = (fact for pattern, fact in _FRAMEWORKS if re.fullmatch(pattern, name))
    return next(found, None)
