"""Copies that the program does not wait for."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.lower import ir


@dataclass(frozen=True, slots=True, eq=False)
class UnsynchronisedRead:
    """The CPU reads what a `copy` from an accelerator may not have written yet.

    `is_returned`: it is not read here, but given to callers as being on the CPU.
    """

    node: ir.Node
    operation: str
    copy: ir.Node
    is_returned: bool = False
