"""Optimizers take their tensors together by device, which C++ would read from the data."""

from __future__ import annotations

from typing import Any

import torch

from devlint.confirm.device_tags import cuda_messages
from devlint.confirm.device_tags.record import Record
from devlint.confirm.device_tags.tag import CPU, device_of
from devlint.confirm.torch_patches.session import Emulation

_OF_STEPS = (torch.float32, torch.float64)


def install(emulation: Emulation) -> None:
    def grouped(lists: Any, with_indices: bool = False) -> dict[Any, Any]:
        """The tensors by the device and dtype of the first one in each place."""
        groups: dict[Any, Any] = {}
        for index in range(len(lists[0])):
            together: list[Any] = [each[index] if each else None for each in lists]
            _check(together, emulation.record)
            key = device_of(together[0]), together[0].dtype
            columns, indices = groups.setdefault(key, ([[] for _ in lists], []))
            for column, tensor, each in zip(columns, together, lists, strict=True):
                column += [tensor] if each else []
            indices += [index] if with_indices else []
        return groups

    emulation.patches.put(torch._C, "_group_tensors_by_device_and_dtype", grouped)


def _check(together: list[Any], record: Record) -> None:
    """What could be a step by its dtype may be on the CPU; the operators refuse what is none."""
    device = device_of(together[0])
    present = [tensor for tensor in together if tensor is not None]
    odd = [tensor for tensor in present if device_of(tensor) != device]
    if any(device_of(each) != CPU or each.dtype not in _OF_STEPS for each in odd):
        record.refuse("several-devices", cuda_messages.NOT_IN_ONE_PLACE, [together[0], *odd])
