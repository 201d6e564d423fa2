"""What slows the steps of a program down."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.event.operation import Operand
from devlint.lower import ir


@dataclass(frozen=True, slots=True, eq=False)
class Transfer:
    """A tensor, or a batch, is moved from the CPU to where an accelerator may be.

    `is_async`: with `non_blocking=True`. `is_pageable`: its memory is known not to be pinned.
    `loop` moves the same value in each of its rounds.
    """

    node: ir.Call
    tensor: Operand
    is_async: bool
    is_pageable: bool
    loop: ir.For | ir.While | None


@dataclass(frozen=True, slots=True, eq=False)
class DoubleTransfer:
    """float64 data of NumPy, made by the call `array`, gets to where an accelerator may be."""

    node: ir.Call
    array: ir.Call


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """The CPU reads a tensor that may be on an accelerator: it waits for what computes it."""

    node: ir.Node
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """What each round of the innermost loop around a `backward` call reads: of each statement the
    first read, for the others of it have nothing to wait for."""

    node: ir.For | ir.While
    backward: ir.Call
    reads: tuple[Read, ...]
