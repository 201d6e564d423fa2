"""Room for the frames of recursive functions."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Result = TypeVar("Result")

#: What a frame claims, in words of 8 bytes: CPython rounds that up to a power of two, and what is
#: beyond it, 2 MB, is for frames below.
CLAIM = 2**18


def roomy(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """The function itself, but what it calls finds all of its frames in one piece of memory.

    CPython keeps frames in chunks of 16 KiB, and asks the system for one whenever a call crosses
    their border: a loop that calls across it does so each time. On timm, followed across files,
    that was 751,000 chunks and 25 % of the CPU time.
    """
    changed = cast(FunctionType, function)
    changed.__code__ = changed.__code__.replace(co_stacksize=CLAIM)
    return function
