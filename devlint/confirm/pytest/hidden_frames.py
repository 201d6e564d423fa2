"""Frames of devlint, which pytest is not to show."""

from __future__ import annotations

import sys


def hide_our_frames() -> None:
    """So that a test fails at its line, or at torch's, as it would on CUDA."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("devlint.confirm.", "devlint.testing")):
            vars(module)["__tracebackhide__"] = True
