"""Who sees that there is CUDA: the package, in shifted calls and on import; the tests do not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Any

import torch

from devlint.confirm.device_tags.carried import PHASE
from devlint.confirm.shift.package import Package
from devlint.confirm.torch_patches.session import Emulation

#: What asks for it, and the answer where there is none.
_QUESTIONS = (
    (torch.cuda, "is_available", False),
    (torch.cuda, "device_count", 0),
    (torch.cuda, "is_bf16_supported", False),
    (torch.accelerator, "is_available", False),
    (torch.accelerator, "device_count", 0),
    (torch.accelerator, "current_accelerator", None),
    (torch._C, "_get_accelerator", torch.device("cpu")),
)


def install(emulation: Emulation, package: Package) -> None:
    for owner, name, nothing in _QUESTIONS:
        asked = getattr(owner, name, None)
        if asked is not None:
            emulation.patches.put(owner, name, _answering(asked, nothing, package))


def _answering(asked: Callable[..., Any], nothing: Any, package: Package) -> Any:
    @wraps(asked)
    def answer(*args: Any, **kwargs: Any) -> Any:
        return asked(*args, **kwargs) if sees_cuda(package) else nothing

    return answer


def sees_cuda(package: Package) -> bool:
    """Whether a shifted call runs, or a module of the package is being imported."""
    return PHASE.is_shifted or _is_imported(package, sys._getframe(2))


def _is_imported(package: Package, frame: FrameType | None) -> bool:
    """Whether the innermost code of a module that runs is the package's.

    What tests have it decide when they are imported, such as which of them to skip, is theirs.
    """
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame is not None and package.has_file(frame.f_code.co_filename)
