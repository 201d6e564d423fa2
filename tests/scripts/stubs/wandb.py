"""Stands in for Weights & Biases, which would log to the network."""

from __future__ import annotations

from typing import Any


class Anything:
    """Takes any call and has any attribute."""

    def __call__(self, *args: Any, **kwargs: Any) -> Anything:
        return self

    def __getattr__(self, name: str) -> Anything:
        return self


init = Histogram = Image = Anything()
