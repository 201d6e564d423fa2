"""Data loaders: what workers would do is done here, where claims and tracebacks are kept."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import Any

from torch.utils.data import DataLoader

from devlint.confirm.torch_patches.session import Emulation

#: What only workers have, as it is without them.
_WITHOUT_WORKERS = {
    "num_workers": 0,
    "prefetch_factor": None,
    "persistent_workers": False,
    "multiprocessing_context": None,
    "timeout": 0,
}


def install(emulation: Emulation) -> None:
    initialize = DataLoader.__init__
    signature = inspect.signature(initialize)

    @wraps(initialize)
    def initialized(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs).arguments
        given |= {name: value for name, value in _WITHOUT_WORKERS.items() if name in given}
        initialize(**given)

    emulation.patches.put(DataLoader, "__init__", initialized)
