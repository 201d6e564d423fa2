"""Modules that took a function of torch by its name (`from torch.cuda import is_available`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from devlint.confirm.torch_patches.session import Emulation

_OURS = ("devlint",)
#: Of torch's own modules each part of the emulation says which are to see what it replaces.
_NOT_THE_USERS = (*_OURS, "torch")


def install(emulation: Emulation) -> None:
    """Comes last: what is replaced by then is replaced in them too, and put back.

    What a module took while CUDA was emulated is put back as well.
    """
    pairs = list(emulation.patches.replaced())
    forth = {id(before): now for _, before, now in pairs}
    back = {id(now): before for _, before, now in pairs}
    # Some stand for several functions, which the name tells apart.
    named = {(name, id(now)): before for name, before, now in pairs}
    for module, name, value in _taken(_NOT_THE_USERS):
        if id(value) in forth:
            setattr(module, name, forth[id(value)])

    def put_back() -> None:
        for module, name, value in _taken(_OURS):
            if id(value) in back:
                setattr(module, name, named.get((name, id(value)), back[id(value)]))

    emulation.patches.undo_by(put_back)


def _taken(left_out: tuple[str, ...]) -> Iterator[tuple[ModuleType, str, Any]]:
    """The callable values of modules, but for those of some packages."""
    for path, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and path.partition(".")[0] not in left_out:
            for name, value in list(vars(module).items()):
                if callable(value):
                    yield module, name, value
