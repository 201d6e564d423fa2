"""Errors that are devlint's own: they say so, lest they are taken for the program's."""

from __future__ import annotations

import os

_HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep
#: What code raises that is wrong; what is refused on purpose is raised as `RuntimeError`.
WRONG = (AttributeError, LookupError, NameError, TypeError, ValueError, AssertionError)


class EmulationFaultError(Exception):
    """The emulation of CUDA has a bug; the message says what was attempted."""


def tell(error: Exception, attempted: object) -> None:
    """Raise `EmulationFaultError` if code of devlint raised `error` at what was attempted."""
    place = _place(error)
    if place and not hasattr(error, "event"):
        raise EmulationFaultError(
            f"devlint failed to emulate {attempted}: {type(error).__name__}: {error} (at {place}). "
            "This is a fault of devlint, not of the program. Please report it where you have "
            "devlint from, with this traceback and what `devlint --version` prints."
        ) from error


def _place(error: Exception) -> str | None:
    """The innermost line, if it is devlint's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    path = trace.tb_frame.f_code.co_filename if trace else ""
    return (
        f"{path.removeprefix(_HERE)}:{trace.tb_lineno}"
        if trace and path.startswith(_HERE)
        else None
    )
