"""What functions of C++ ask of devices themselves, before any operator runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import torch

from devlint.confirm.device_tags import cuda_messages
from devlint.confirm.device_tags.tag import device_of
from devlint.confirm.torch_patches.patches import owner_of
from devlint.confirm.torch_patches.session import Emulation
from devlint.facts.signature import signature

_RANK = (
    "torch.linalg.matrix_rank: Expected {name} and input tensors to be on the same device, but got "
    "{name} on {odd} and input on {0} instead"
)
_INNER = (
    "Expected tensor to have {0.type} DeviceType, but got tensor with {odd.type} DeviceType (while "
    "checking arguments for inner())"
)
_QUANTILE = "quantile() q tensor must be on the same device as the input tensor"
_WINDOW = "stft input and window must be on the same device but got self on {0} and window on {odd}"
_ATTENTION = (
    "Expected query, key, and value to have the same device type, but got query.device: {0} "
    "key.device: {1} and value.device: {2} instead."
)
#: Parameters as facts have them, and the words: `{0}` is the device of the first tensor, `{odd}`
#: and `{name}` are of the one that is elsewhere, which is the tensor at `{place}`.
_ASKED = {
    "torch._VF.meshgrid": (
        "*tensors",
        "meshgrid expects all tensors to have the same device",
    ),
    "torch._VF.stft": ("input -n_fft -hop_length -win_length window", _WINDOW),
    "torch.istft": ("input -n_fft -hop_length -win_length window", f"i{_WINDOW}"),
    "torch.linalg.matrix_rank": ("input atol rtol", _RANK),
    "torch.linalg.multi_dot": (
        "*tensors",
        "multi_dot(): all tensors must be on the same device but tensor 0 is on {0} and tensor "
        "{place} on {odd}",
    ),
    "torch.inner": ("input other", _INNER),
    "torch.Tensor.inner": ("input other", _INNER),
    "torch.cosine_similarity": ("x1 x2", cuda_messages.BY_ITERATOR),
    "torch.quantile": ("input q", _QUANTILE),
    "torch.nanquantile": ("input q", _QUANTILE),
    "torch.Tensor.quantile": ("self q", _QUANTILE),
    "torch.Tensor.nanquantile": ("self q", _QUANTILE),
    "torch.gradient": (
        "input *spacing",
        "torch.gradient expected each tensor to be on the same device, but got devices {0} and "
        "{odd}!",
    ),
    "torch._weight_norm": (
        "v g",
        "weight_norm: expected v_in and g_in to be on the same device, but v_in is on {0} and g_in "
        "is on {odd}",
    ),
    "torch._C._nn.scaled_dot_product_attention": ("query key value", _ATTENTION),
    "torch.nn.functional.scaled_dot_product_attention": ("query key value", _ATTENTION),
}


def install(emulation: Emulation) -> None:
    replaced = {}
    for path, (parameters, words) in _ASKED.items():
        owner, name = owner_of(path)
        original = getattr(owner, name)
        replaced[original] = _asking(emulation, original, parameters, words)
        emulation.patches.put(owner, name, replaced[original])
    emulation.patches.put_everywhere(replaced)


def _asking(
    emulation: Emulation, original: Callable[..., Any], parameters: str, words: str
) -> Callable[..., Any]:
    @wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = list(compared(parameters, args, kwargs))
        devices = [device_of(tensor) for _, tensor in found]
        odd = next((each for each in range(1, len(found)) if devices[each] != devices[0]), 0)
        if odd:
            name, tensor = found[odd]
            message = words.format(
                *devices, first=devices[0], name=name, odd=devices[odd], place=odd
            )
            emulation.record.refuse("several-devices", message, [found[0][1], tensor])
        return original(*args, **kwargs)

    return call


def compared(parameters: str, args: Any, kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The tensors that have to be in one place, by the names of their parameters."""
    bound = signature(parameters).bind(len(args), kwargs)
    for parameter, value in zip(bound, (*args, *kwargs.values()), strict=True):
        if parameter is not None and parameter.is_operand:
            for each in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(each, torch.Tensor):
                    yield parameter.name, each
