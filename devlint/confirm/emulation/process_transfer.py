"""Tensors that go to another process, by queues and arguments: their claims go with them."""

from __future__ import annotations

from functools import wraps
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
import torch.multiprocessing
from torch.multiprocessing.reductions import reduce_tensor

from devlint.confirm.device_tags.tag import Claim, claim_of, claim_storage, holder
from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    reducers: dict[Any, Any] = getattr(ForkingPickler, "_extra_reducers")  # noqa: B009
    with_claim = _claiming(reduce_tensor)
    tensors = {kind: with_claim for kind, each in reducers.items() if each is reduce_tensor}
    emulation.patches.put(ForkingPickler, "_extra_reducers", {**reducers, **tensors})


def _claiming(reduce: Any) -> Any:
    @wraps(reduce)
    def reduced(tensor: Any) -> Any:
        rebuild, arguments = reduce(tensor)
        claim = claim_of(tensor)
        return (rebuild, arguments) if claim is None else (_rebuilt, (rebuild, arguments, claim))

    return reduced


def _rebuilt(rebuild: Any, arguments: Any, claim: Claim) -> Any:
    tensor = rebuild(*arguments)
    if isinstance(tensor, torch.Tensor):
        claim_storage(holder(tensor), claim)
    return tensor
