"""Frames of devlint, which tracebacks do not show: `multiprocessing` prints those of processes."""

from __future__ import annotations

import os
import traceback
from functools import wraps
from typing import Any

from devlint.confirm.emulation.faults import EmulationFaultError
from devlint.confirm.torch_patches.session import Emulation

_HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def is_ours(path: str) -> bool:
    return path.startswith(_HERE)


def install(emulation: Emulation) -> None:
    """All that formats tracebacks in Python makes one of these of each exception."""
    kind = traceback.TracebackException
    initialize = kind.__init__

    @wraps(initialize)
    def initialized(self: Any, exc_type: Any, *args: Any, **kwargs: Any) -> None:
        initialize(self, exc_type, *args, **kwargs)
        if exc_type is not EmulationFaultError:  # What is devlint's fault shows where.
            self.stack[:] = [each for each in self.stack if not is_ours(each.filename)]

    emulation.patches.put(kind, "__init__", initialized)
