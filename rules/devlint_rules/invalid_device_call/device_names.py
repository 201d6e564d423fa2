"""Which texts are no names of devices."""

from __future__ import annotations

from devlint.api import ACCELERATORS, Argument, Kind, ir

NAMES = ACCELERATORS | {"cpu", "meta"}


def suggestion(argument: Argument) -> tuple[str, str] | None:
    """A text that names no device, as far as it is known, and the one that was meant."""
    text, is_whole = beginning(argument)
    type_, colon, index = text.partition(":")
    if type_.lower() == "gpu" and (is_whole or colon):
        return text, f"cuda{colon}{index}"
    if type_ not in NAMES and type_.lower() in NAMES and (is_whole or colon):
        return text, f"{type_.lower()}{colon}{index}"
    joint = text.rstrip("0123456789")
    if is_whole and joint != text and joint.rstrip() in ACCELERATORS:
        return text, f"{joint.rstrip()}:{text.removeprefix(joint)}"
    return None


def beginning(argument: Argument) -> tuple[str, bool]:
    """A text up to where it is filled in at run time, and whether that is all of it."""
    value = argument.value
    if value.kind is Kind.CONSTANT and isinstance(value.payload, str):
        return value.payload, True
    match argument.node:
        case ir.Text(start=start):
            return start, False
        case ir.Binary(left=ir.Constant(value=str(text)), op="%"):
            return text.partition("%")[0], False
        case ir.Binary(left=ir.Constant(value=str(text)), op="+"):
            return text, False
        case ir.Call(func=ir.Attribute(value=ir.Constant(value=str(text)), name="format")):
            return text.partition("{")[0], False
    return "", False
