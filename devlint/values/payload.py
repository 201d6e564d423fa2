"""Payloads: what a value is, beyond its kind, its device and its place in memory."""

from __future__ import annotations

from typing import TypeAlias

from devlint.lower.ir import Literal


class Payload:
    """What a function, a class, a condition or an object of a known kind consists of."""

    __slots__ = ()


#: What a literal stands for; of `Kind.IMPORTED` the dotted name, of `Kind.OBJECT` its role.
Constant: TypeAlias = Literal
