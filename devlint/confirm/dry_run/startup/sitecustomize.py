"""Watches a Python process that the program of a dry run starts, then does what else is here."""

from __future__ import annotations

import importlib
import os
import sys


def _begin() -> None:
    try:
        from devlint.confirm.dry_run.followed import begin
    except ImportError:  # Another interpreter: the parent will know that nothing was told.
        return
    begin()


def _hand_over() -> None:
    """To the `sitecustomize` that there is without us, if any."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [each for each in sys.path if os.path.abspath(each) != here]
    own = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
    sys.modules.setdefault("sitecustomize", own)


_begin()
_hand_over()
