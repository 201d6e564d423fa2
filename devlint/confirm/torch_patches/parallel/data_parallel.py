"""What `DataParallel` needs of C++: tensors sent to several devices and gathered again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from itertools import chain
from typing import Any

import torch

from devlint.confirm.device_tags.tag import CPU
from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    named = emulation.devices.named

    def broadcast(tensor: Any, devices: Sequence[Any]) -> list[Any]:
        return [tensor.to(named(device)) for device in devices]

    def broadcast_coalesced(
        tensors: Sequence[Any], devices: Sequence[Any], buffer_size: int
    ) -> list[list[Any]]:
        return [[tensor.to(named(device)) for tensor in tensors] for device in devices]

    def scatter(
        tensor: Any, devices: Sequence[Any], chunk_sizes: Any, dim: int, streams: Any
    ) -> list[Any]:
        chunks = tensor.split(chunk_sizes, dim) if chunk_sizes else tensor.chunk(len(devices), dim)
        return [chunk.to(named(device)) for chunk, device in zip(chunks, devices, strict=False)]

    def gather(tensors: Sequence[Any], dim: int, destination: int | None) -> Any:
        target = CPU if destination == -1 else emulation.devices.cuda(destination)
        return torch.cat([tensor.to(target) for tensor in tensors], dim)

    for function in (broadcast, broadcast_coalesced, scatter, gather):
        emulation.patches.put(torch._C, f"_{function.__name__}", function)
    emulation.patches.put(torch.nn.parallel._functions, "_streams", None)
    # A build for CUDA has NCCL, which wants tensors that are there.
    emulation.patches.put(torch.cuda.nccl, "is_available", lambda tensors: False)
    forward = torch.nn.DataParallel.forward
    emulation.patches.put(torch.nn.DataParallel, "forward", _placed(emulation, forward))
    kind = torch._utils._get_available_device_type
    emulation.patches.put_everywhere({kind: lambda: "cuda"})


def _placed(emulation: Emulation, forward: Any) -> Any:
    """Tells what PyTorch itself refuses, and moves the module where the run goes on."""

    @wraps(forward)
    def placed(self: Any, *inputs: Any, **kwargs: Any) -> Any:
        device = self.src_device_obj
        tensors = chain(self.module.parameters(), self.module.buffers())
        odd = next((tensor for tensor in tensors if tensor.device != device), None)
        if odd is not None:
            message = (
                f"module must have its parameters and buffers on device {device} (device_ids[0]) "
                f"but found one of them on device: {odd.device}"
            )
            emulation.record.refuse("several-devices", message, [odd])
            self.module.to(device)
        return forward(self, *inputs, **kwargs)

    return placed
