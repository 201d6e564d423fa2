"""What the libraries around PyTorch make, move and place, by patterns of their names."""

from __future__ import annotations

import re
from functools import cache

from devlint.torch_facts.effect import Fact, Layer, Makes, Model, Opaque, Size, Transform

#: With these, Transformers places the module and hooks move its inputs.
_PLACED = ("device_map", "quantization_config", "load_in_8bit", "load_in_4bit")
_HUGGING = "from_pretrained|from_config|_from_config"
_OTHER = Opaque("", "metric")
_LAYER = Model("", is_layer=True)
_V2 = r"torchvision\.transforms\.(v2\.)?"

#: The first pattern that a dotted name matches as a whole decides.
_FRAMEWORKS: tuple[tuple[str, Fact], ...] = (
    (r"torchvision\.models\.(\w+\.)*(list_models|get_\w+|\w+_Weights\b.*)", Opaque("", "weights")),
    (r"torchvision\.models\.(\w+\.)*[A-Za-z]\w*", Model("")),
    (r"torchvision\.datasets\.(\w+\.)?[A-Z]\w*", Opaque("-root", "dataset")),
    (_V2 + "(ToTensor|PILToTensor|ToImage)", Transform("", gives_tensor=True)),
    (_V2 + "[A-Z]\\w*", Transform("-transforms")),
    (_V2 + r"functional\.(to_tensor|pil_to_tensor|to_image)", Makes("-pic", Size.ARRAY)),
    (r"timm\.(models\.)?create_model", Model("")),
    (r"efficientnet_pytorch\.EfficientNet\.from_(name|pretrained)", Model("")),
    (r"segmentation_models_pytorch\.[A-Z]\w*", Model("")),
    (r"transformers\.(\w+\.)*(DataCollator\w*|default_data_collator)", Opaque("", "collator")),
    (rf"transformers\.(?!TF|Flax)\w*(Model|For[A-Z]\w*)(\.({_HUGGING}))?", Model("", _PLACED)),
    # These take numbers from anywhere, or texts.
    (
        r"torchmetrics\.(\w+\.)*((Mean|Sum|Max|Min|Cat|Running\w*)(Metric)?|MetricCollection)",
        _OTHER,
    ),
    (r"torchmetrics\.text\..*", _OTHER),
    # Their states are lists, of what they are given.
    (r"torchmetrics\.(\w+\.)*(Retrieval\w*|\w*(Curve|ROC|AveragePrecision|CorrCoef))", _OTHER),
    (r"torchmetrics\.(\w+\.)*[A-Z]\w*", Layer("", holds_state=True, is_metric=True)),
    (r"datasets\.load_dataset", Opaque("-path", "dataset")),
    (r"torch_geometric\.nn\.(\w+\.)*[A-Z]\w*", _LAYER),
    (r"(dgl|monai|kornia)\.(\w+\.)*(nn|nets|layers)\.(\w+\.)*[A-Z]\w*", _LAYER),
    (r"timm\.(layers|models)\.(\w+\.)*[A-Z]\w*", _LAYER),
    (r"torch_geometric\.transforms\.(\w+\.)*[A-Z]\w*", Transform("-transforms")),
    (r"torch_geometric\.datasets\.\w+", Opaque("-root", "dataset")),
    (r"torch_geometric\.(loader|data)\.\w*(Loader|Sampler)", Opaque("~dataset", "loader")),
)
_HEADS = frozenset(
    (
        "torchvision timm efficientnet_pytorch segmentation_models_pytorch transformers datasets "
        "torch_geometric dgl monai kornia torchmetrics"
    ).split()
)


@cache
def framework_fact(name: str) -> Fact | None:
    """The fact of a dotted name of a library other than PyTorch."""
    if name.partition(".")[0] not in _HEADS:
        return None
    found = (fact for pattern, fact in _FRAMEWORKS if re.fullmatch(pattern, name))
    return next(found, None)
