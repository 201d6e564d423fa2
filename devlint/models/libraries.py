"""The libraries that are modelled, and a project's own names with them."""

from __future__ import annotations

from functools import cache

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import Libraries, LibraryModel
from devlint.models import (
    accelerate,
    array_makers,
    datasets,
    detectron2,
    dgl,
    diffusers,
    distributions,
    efficientnet_pytorch,
    einops,
    huggingface_hub,
    ignite,
    kornia,
    lightning,
    loggers,
    model_runners,
    monai,
    options,
    quasirandom,
    safetensors,
    segmentation_models_pytorch,
    timm,
    torch_cluster,
    torch_geometric,
    torch_scatter,
    torchaudio,
    torchmetrics,
    torchtext,
    torchvision,
    tqdm,
    transformers,
)
from devlint.models.project import project
from devlint.settings.project_names import PLAIN, Vocabulary

MODELS: tuple[LibraryModel[Run], ...] = tuple(
    module.MODEL
    for module in (
        accelerate,
        array_makers,
        datasets,
        detectron2,
        dgl,
        diffusers,
        distributions,
        efficientnet_pytorch,
        einops,
        huggingface_hub,
        ignite,
        kornia,
        lightning,
        loggers,
        model_runners,
        monai,
        options,
        quasirandom,
        safetensors,
        segmentation_models_pytorch,
        timm,
        torch_cluster,
        torch_geometric,
        torch_scatter,
        torchaudio,
        torchmetrics,
        torchtext,
        torchvision,
        tqdm,
        transformers,
    )
)


@cache
def libraries(vocabulary: Vocabulary = PLAIN) -> Libraries[Run]:
    """All models, that of the project among them."""
    return Libraries(MODELS, project(vocabulary))
