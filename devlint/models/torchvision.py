"""torchvision: models, data sets and transforms."""

from __future__ import annotations

from devlint.facts.dimensions import Size
from devlint.facts.effect import (
    Agrees,
    Fact,
    Follows,
    Makes,
    Model,
    Opaque,
    Reads,
    Transform,
    Wraps,
)
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

_V2 = r"torchvision\.transforms\.(v2\.)?"
_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"torchvision\.models\.(\w+\.)*(list_models|get_\w+|\w+_Weights\b.*)", Opaque("", "weights")),
    (r"torchvision\.models\.(\w+\.)*(create_feature_extractor|\w+Getter)", Wraps("model")),
    (r"torchvision\.models\.(\w+\.)*[A-Za-z]\w*", Model("")),
    (r"torchvision\.datasets\.(\w+\.)?[A-Z]\w*", Opaque("-root", "dataset", gives_tensors=True)),
    (_V2 + "(ToTensor|PILToTensor|ToImage)", Transform("", gives_tensor=True)),
    (_V2 + "ToPILImage", Transform("", gives_image=True)),
    (_V2 + "[A-Z]\\w*", Transform("-transforms")),
    (r"torchvision\.ops\.(\w+\.)*\w*nms", Agrees("boxes scores ~idxs")),
    (r"torchvision\.ops\.(\w+\.)*\w*box_iou", Agrees("boxes1 boxes2")),
    (r"torchvision\.ops\.(\w+\.)*(ps_)?roi_\w+", Agrees("input *boxes")),
    (r"torchvision\.utils\.make_grid", Follows("*tensor")),
    (_V2 + r"functional\.(get_dimensions|get_image_\w+|get_size)", Reads("inpt")),
    (_V2 + r"functional\.(to_tensor|pil_to_tensor|to_image)", Makes("-pic", Size.ARRAY)),
)

MODEL = LibraryModel[Run](packages=frozenset({"torchvision"}), patterns=_PATTERNS)
