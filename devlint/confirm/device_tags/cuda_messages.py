"""CUDA's own words for operands on several devices, as records of real CUDA have them."""

from __future__ import annotations

import re
from typing import Any

from devlint.confirm.device_tags.tag import device_of

#: `{first}`, `{odd}`: the devices; `{name}`: of the odd operand; `{type}`, `{odd_type}`: of both.
_SAME = "Expected all tensors to be on the same device, but "
BY_ITERATOR = _SAME + "found at least two devices, {first} and {odd}!"
_BY_CHECK = (
    _SAME + "got {name} is on {odd}, different from other tensors on {first} "
    "(when checking argument in method wrapper_CUDA_{operator})"
)
_ATTENTION = (
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_fused_attention_overrideable",
)
_BY_OPERATOR = {
    "embedding": _BY_CHECK.format(
        name="index", odd="{odd}", first="{first}", operator="_index_select"
    ),
    "masked_fill": "expected self and mask to be on the same device, but got {name} on {odd} "
    "and self on {first}",
    "grid_sampler_2d": "grid_sampler(): expected input and grid to be on same device, but input "
    "is on {first} and grid is on {odd}",
    "equal": "Cannot compare two tensors on different devices. Got: {first} and {odd}",
    "convolution": "Input type ({type}) and {name} type ({odd_type}) should be the same",
    "block_diag": "torch.block_diag: input tensors must all be on the same device.",
    "index_put": BY_ITERATOR,
    "binary_cross_entropy_with_logits": BY_ITERATOR,
    "mse_loss": BY_ITERATOR,
    "smooth_l1_loss": BY_ITERATOR,
    **dict.fromkeys(
        _ATTENTION,
        _BY_CHECK.format(
            name="attn_bias",
            odd="{odd}",
            first="{first}",
            operator="__scaled_dot_product_efficient_attention",
        ),
    ),
}
NOT_AN_INDEX = (
    "indices should be either on cpu or on the same device as the indexed tensor ({first})"
)
_ON_CPU = {
    "_pack_padded_sequence": "'lengths' argument should be a 1D CPU int64 tensor, but got {rank}D "
    "{odd} {kind} tensor",
    "tensor_split": "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on "
    "{odd}",
}

#: Parts of the messages above and of others, by which those of real CUDA are known.
_OF_DEVICES = re.compile(
    r"(on|at) (the )?same device|different devices|different from other tensors on"
    r"|Input type \(.*\) and .* type \(.*\) should be the same"
    r"|device type tensor to numpy|indices should be either on"
    r"|device type for generator|deserialize object on|CPU int64 tensor|to be on cpu"
    r"|only dense CPU tensors can be pinned|only implemented on CPU tensors"
    r"|have the same device|expected device .* but got|with device type '\w+' to a tensor with"
    r"|parameters and buffers on device|No backend type associated with device type"
    r"|Unsupported device in DLTensor|Expected tensor to have [\w:]+ Device(Type)?, but got"
    r"|\.get_device\(\) == \w+\.get_device\(\)|should have same device type"
    r"|expected a CUDA device but found|CPU scalars to non-CPU kernel|CPU Scalar support for"
    r"|Unhandled FakeTensor Device Propagation"
)

_RECURRENT = (
    "Input and {kind} tensors are not at the same device, found input tensor at {first} and "
    "{kind} tensor at {odd}"
)
NOT_IN_ONE_PLACE = (
    "Tensors of the same index must be on the same device and the same dtype except `step` tensors "
    "that can be CPU and float32/64, and optimizer states that can be bfloat16 for "
    "mixed-precision training"
)


def is_of_devices(message: str) -> bool:
    """Whether CUDA, or PyTorch for it, says so of operands that are on a wrong device."""
    return _OF_DEVICES.search(message) is not None


def several_devices(operator: str, first: Any, odd: Any, name: str, *, is_iterated: bool) -> str:
    """For the tensors `first` and `odd`, which have to be on one device; `name` is of `odd`."""
    operator = "convolution" if operator == "_convolution" else operator  # As traces have it.
    text = _BY_OPERATOR.get(operator.rstrip("_")) or (BY_ITERATOR if is_iterated else _BY_CHECK)
    if operator == "convolution" and device_of(first).type == "cpu":
        text, operator = _BY_CHECK, "__slow_conv2d_forward"
    elif operator == "convolution":
        return text.format(name=name, type=first.type(), odd_type=odd.type())
    return text.format(operator=operator, name=name, first=device_of(first), odd=device_of(odd))


def not_on_cpu(operator: str, odd: Any) -> str:
    """For a tensor that has to be on the CPU."""
    kind = odd.type().rpartition(".")[2].removesuffix("Tensor")
    return _ON_CPU[operator].format(odd=device_of(odd), rank=odd.dim(), kind=kind)


def recurrent(data: Any, odd: Any, kind: str) -> str:
    """For what an RNN is given beside its input: a `hidden` state or a `parameter`."""
    return _RECURRENT.format(kind=kind, first=device_of(data), odd=device_of(odd))
