"""The functions of `torch.nn.functional`, losses apart."""

from __future__ import annotations

from devlint.facts.dimensions import Rank
from devlint.facts.effect import Agrees, Fact, Follows, Inert, Pointwise

FUNCTIONAL: dict[str, Fact] = {
    "relu": Pointwise("input -inplace"),
    "relu6": Pointwise("input -inplace"),
    "silu": Pointwise("input -inplace"),
    "selu": Pointwise("input -inplace"),
    "mish": Pointwise("input -inplace"),
    "hardswish": Pointwise("input -inplace"),
    "softsign": Pointwise("input -inplace"),
    "tanhshrink": Pointwise("input -inplace"),
    "logsigmoid": Pointwise("input -inplace"),
    "hardsigmoid": Pointwise("input -inplace"),
    "sigmoid": Pointwise("input"),
    "tanh": Pointwise("input"),
    "elu": Pointwise("input -alpha -inplace"),
    "celu": Pointwise("input -alpha -inplace"),
    "gelu": Pointwise("input -approximate"),
    "leaky_relu": Pointwise("input -negative_slope -inplace"),
    "rrelu": Pointwise("input -lower -upper -training -inplace"),
    "hardtanh": Pointwise("input -min_val -max_val -inplace"),
    "hardshrink": Pointwise("input -lambd"),
    "softshrink": Pointwise("input -lambd"),
    "softplus": Pointwise("input -beta -threshold"),
    "threshold": Pointwise("input -threshold -value -inplace"),
    "glu": Follows("input -dim", Rank.ARRAY),
    "prelu": Agrees("input weight", Rank.SAME),
    "softmax": Follows("input -dim", Rank.SAME),
    "softmin": Follows("input -dim", Rank.SAME),
    "log_softmax": Follows("input -dim", Rank.SAME),
    "gumbel_softmax": Follows("logits -tau -hard", Rank.SAME),
    "normalize": Follows("input -p -dim -eps", Rank.SAME),
    "dropout": Follows("input -p -training -inplace", Rank.SAME),
    "dropout1d": Follows("input -p -training -inplace", Rank.ARRAY),
    "dropout2d": Follows("input -p -training -inplace", Rank.ARRAY),
    "dropout3d": Follows("input -p -training -inplace", Rank.ARRAY),
    "alpha_dropout": Follows("input -p -training -inplace", Rank.SAME),
    "feature_alpha_dropout": Follows("input -p -training -inplace", Rank.SAME),
    "linear": Agrees("input weight bias", Rank.ARRAY),
    "bilinear": Agrees("input1 input2 weight bias", Rank.ARRAY),
    "embedding": Agrees("input weight", Rank.ARRAY),
    "embedding_bag": Agrees(
        "input weight offsets -max_norm -norm_type -scale_grad_by_freq -mode -sparse "
        "per_sample_weights",
        Rank.ARRAY,
    ),
    "one_hot": Follows("tensor -num_classes", Rank.MORE),
    "conv1d": Agrees("input weight bias -stride -padding -dilation -groups", Rank.MATRIX),
    "conv2d": Agrees("input weight bias -stride -padding -dilation -groups", Rank.MATRIX),
    "conv3d": Agrees("input weight bias -stride -padding -dilation -groups", Rank.MATRIX),
    "conv_transpose1d": Agrees("input weight bias", Rank.MATRIX),
    "conv_transpose2d": Agrees("input weight bias", Rank.MATRIX),
    "conv_transpose3d": Agrees("input weight bias", Rank.MATRIX),
    "unfold": Follows("input -kernel_size -dilation -padding -stride", Rank.MATRIX),
    "fold": Follows("input -output_size -kernel_size -dilation -padding -stride", Rank.MATRIX),
    "layer_norm": Agrees("input -normalized_shape weight bias -eps", Rank.SAME),
    "rms_norm": Agrees("input -normalized_shape weight -eps", Rank.SAME),
    "group_norm": Agrees("input -num_groups weight bias -eps", Rank.MATRIX),
    "batch_norm": Agrees("input running_mean running_var weight bias", Rank.MATRIX),
    "instance_norm": Agrees("input running_mean running_var weight bias", Rank.MATRIX),
    "local_response_norm": Follows("input -size -alpha -beta -k", Rank.MATRIX),
    "avg_pool1d": Follows("input -kernel_size -stride -padding", Rank.MATRIX),
    "avg_pool2d": Follows("input -kernel_size -stride -padding", Rank.MATRIX),
    "avg_pool3d": Follows("input -kernel_size -stride -padding", Rank.MATRIX),
    "max_pool1d": Follows("input -kernel_size -stride -padding", Rank.MATRIX),
    "max_pool2d": Follows("input -kernel_size -stride -padding", Rank.MATRIX),
    "max_pool3d": Follows("input -kernel_size -stride -padding", Rank.MATRIX),
    "adaptive_avg_pool1d": Follows("input -output_size", Rank.MATRIX),
    "adaptive_avg_pool2d": Follows("input -output_size", Rank.MATRIX),
    "adaptive_avg_pool3d": Follows("input -output_size", Rank.MATRIX),
    "adaptive_max_pool1d": Follows("input -output_size", Rank.MATRIX),
    "adaptive_max_pool2d": Follows("input -output_size", Rank.MATRIX),
    "adaptive_max_pool3d": Follows("input -output_size", Rank.MATRIX),
    "lp_pool1d": Follows("input -norm_type -kernel_size -stride", Rank.MATRIX),
    "lp_pool2d": Follows("input -norm_type -kernel_size -stride", Rank.MATRIX),
    "max_unpool2d": Agrees("input indices -kernel_size -stride -padding", Rank.MATRIX),
    "pad": Follows("input -pad -mode -value", Rank.ARRAY),
    "interpolate": Follows("input -size -scale_factor -mode -align_corners", Rank.MATRIX),
    "upsample": Follows("input -size -scale_factor -mode -align_corners", Rank.MATRIX),
    "grid_sample": Agrees("input grid -mode -padding_mode -align_corners", Rank.MATRIX),
    "affine_grid": Follows("theta -size -align_corners", Rank.ARRAY),
    "pixel_shuffle": Follows("input -upscale_factor", Rank.ARRAY),
    "pixel_unshuffle": Follows("input -downscale_factor", Rank.ARRAY),
    "channel_shuffle": Follows("input -groups", Rank.ARRAY),
    "scaled_dot_product_attention": Agrees("query key value ?attn_mask -dropout_p", Rank.ARRAY),
    "cosine_similarity": Agrees("x1 x2 -dim -eps"),
    "pairwise_distance": Pointwise("x1 x2 -p -eps -keepdim", Rank.UNKNOWN),
    "pdist": Follows("input -p", Rank.ARRAY),
}

#: Those of them that `torch` has, with the same arguments.
_OF_TORCH = (
    "pixel_shuffle pixel_unshuffle channel_shuffle conv1d conv2d conv3d conv_transpose1d "
    "conv_transpose2d conv_transpose3d bilinear adaptive_avg_pool1d avg_pool1d max_pool1d "
    "max_pool2d max_pool3d cosine_similarity pairwise_distance pdist"
).split()

FUNCTIONS: dict[str, Fact] = {
    **{f"torch.{name}": FUNCTIONAL[name] for name in _OF_TORCH},
    "torch.layer_norm": Agrees("input -normalized_shape weight bias -eps", Rank.SAME),
    "torch.group_norm": Agrees("input -num_groups weight bias -eps", Rank.SAME),
    **{
        f"torch.{place}.functional_call": Agrees("-module *parameters *args", Rank.UNKNOWN)
        for place in ("func", "nn.utils.stateless")
    },
    "torch.nn.utils.clip_grad_norm_": Follows("*parameters -max_norm -norm_type", Rank.SCALAR),
    "torch.nn.utils.clip_grad_value_": Inert("*parameters -clip_value"),
    "torch.nn.utils.get_total_norm": Follows("*tensors -norm_type", Rank.SCALAR),
}
