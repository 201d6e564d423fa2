"""Which dtype autocast for CUDA runs an operator in, as `aten/src/ATen/autocast_mode.h` has it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any

import torch

KEY = "AutocastCUDA"
CPU_KEY = "AutocastCPU"


class Policy(Enum):
    """PyTorch's `CastPolicy`."""

    LOWER_PRECISION_FP = auto()
    FP32 = auto()
    FP32_SET_OPT_DTYPE = auto()
    FP32_APPEND_DTYPE = auto()
    PROMOTE = auto()


_LOWER_PRECISION_FP = frozenset(
    "_convolution _convolution.deprecated conv1d conv2d conv3d conv_tbc conv_transpose1d "
    "conv_transpose2d.input conv_transpose3d.input convolution cudnn_convolution "
    "cudnn_convolution_transpose prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear "
    "addbmm baddbmm bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell "
    "lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell scaled_dot_product_attention "
    "_scaled_dot_product_flash_attention".split()
)
_PROMOTE = frozenset(
    "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot "
    "scatter_add".split()
)
#: The overload that takes the dtype.
APPENDING = {
    "norm.Scalar": "norm.ScalarOpt_dtype",
    "norm.ScalarOpt_dim": "norm.ScalarOpt_dim_dtype",
}
#: Its kernel in C++ raises an error whatever it is given.
_BANNED = "binary_cross_entropy"


def policies() -> Iterator[tuple[str, Policy]]:
    """The operators of aten that this PyTorch casts for CUDA, as `name.overload`."""
    return ((name, _policy(name)) for name in cast_operators(KEY) if name != _BANNED)


def cast_operators(key: str) -> Iterator[str]:
    for qualified in torch._C._dispatch_get_all_op_names():
        namespace, _, name = qualified.partition("::")
        has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
        if namespace == "aten" and has_kernel(qualified, key):
            yield name


def _policy(name: str) -> Policy:
    if name in _LOWER_PRECISION_FP:
        return Policy.LOWER_PRECISION_FP
    if name in _PROMOTE:
        return Policy.PROMOTE
    if name in APPENDING:
        return Policy.FP32_APPEND_DTYPE
    if "dtype" in arguments(overload(name)):  # All that have one may go without.
        return Policy.FP32_SET_OPT_DTYPE
    return Policy.FP32


def overload(name: str) -> Any:
    packet, _, last = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), last or "default")


def arguments(operator: Any) -> list[str]:
    return [argument.name for argument in operator._schema.arguments]
