"""Losses, as functions and as modules."""

from __future__ import annotations

from functools import partial

from devlint.facts.dimensions import Rank
from devlint.facts.effect import Agrees, Fact, Layer, Pointwise

_agrees = partial(Agrees, rank=Rank.LOSS)
_pointwise = partial(Pointwise, rank=Rank.LOSS)

FUNCTIONAL: dict[str, Fact] = {
    "cross_entropy": _agrees("input target weight -size_average -ignore_index -reduce -reduction"),
    "nll_loss": _agrees("input target weight -size_average -ignore_index -reduce -reduction"),
    "binary_cross_entropy": _agrees("input target weight -size_average -reduce -reduction"),
    "binary_cross_entropy_with_logits": _agrees(
        "?input target ?weight -size_average -reduce -reduction ?pos_weight"
    ),
    "mse_loss": _agrees("input target -size_average -reduce -reduction weight"),
    "l1_loss": _agrees("input target -size_average -reduce -reduction weight", expands=True),
    "smooth_l1_loss": _agrees("input target -size_average -reduce -reduction -beta"),
    "huber_loss": _agrees("input target -reduction -delta weight"),
    "kl_div": _pointwise("input target -size_average -reduce -reduction -log_target"),
    "poisson_nll_loss": _pointwise("input target -log_input -full -size_average -eps"),
    "gaussian_nll_loss": _agrees("?input ?target var -full -eps -reduction"),
    "hinge_embedding_loss": _pointwise("input target -margin -size_average -reduce"),
    "margin_ranking_loss": _pointwise("input1 input2 target -margin -size_average -reduce"),
    "cosine_embedding_loss": _agrees("input1 input2 ?target -margin -size_average -reduce"),
    "soft_margin_loss": _agrees("input ?target -size_average -reduce -reduction"),
    "multi_margin_loss": _agrees("input target -p -margin weight -size_average -reduce -reduction"),
    "multilabel_margin_loss": _agrees("input target -size_average -reduce -reduction"),
    "multilabel_soft_margin_loss": _agrees("input ?target ?weight -size_average"),
    "triplet_margin_loss": _agrees("anchor positive negative -margin -p -eps -swap -size_average"),
    "triplet_margin_with_distance_loss": _agrees("anchor positive negative"),
    "ctc_loss": _agrees("log_probs ~targets ~input_lengths ~target_lengths -blank -reduction"),
}

LAYERS: dict[str, Fact] = {
    "CrossEntropyLoss": Layer("weight -size_average -ignore_index -reduce", is_loss=True),
    "NLLLoss": Layer("weight -size_average -ignore_index -reduce -reduction", is_loss=True),
    "NLLLoss2d": Layer("weight -size_average -ignore_index -reduce -reduction", is_loss=True),
    "BCELoss": Layer("weight -size_average -reduce -reduction", is_loss=True),
    "BCEWithLogitsLoss": Layer(
        "?weight -size_average -reduce -reduction ?pos_weight", is_loss=True
    ),
    "MSELoss": Layer("-size_average -reduce -reduction", is_loss=True),
    "L1Loss": Layer("-size_average -reduce -reduction", is_loss=True),
    "SmoothL1Loss": Layer("-size_average -reduce -reduction -beta", is_loss=True),
    "HuberLoss": Layer("-reduction -delta", is_loss=True),
    "KLDivLoss": Layer("-size_average -reduce -reduction -log_target", is_loss=True),
    "PoissonNLLLoss": Layer("-log_input -full", is_loss=True),
    "GaussianNLLLoss": Layer("", is_loss=True),
    "HingeEmbeddingLoss": Layer("-margin", is_loss=True),
    "MarginRankingLoss": Layer("-margin", is_loss=True),
    "CosineEmbeddingLoss": Layer("-margin", is_loss=True),
    "SoftMarginLoss": Layer("-size_average", is_loss=True),
    "MultiMarginLoss": Layer("-p -margin weight", is_loss=True),
    "MultiLabelMarginLoss": Layer("-size_average", is_loss=True),
    "MultiLabelSoftMarginLoss": Layer("weight -size_average", is_loss=True),
    "TripletMarginLoss": Layer("-margin -p", is_loss=True),
    "TripletMarginWithDistanceLoss": Layer("", is_loss=True),
    "CTCLoss": Layer("-blank -reduction -zero_infinity", is_loss=True, moves_targets=True),
}
