"""Whether the operands of a call are on devices that CUDA accepts, and where its result is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from devlint.confirm.device_tags import cuda_messages
from devlint.confirm.device_tags.aten_facts import Law
from devlint.confirm.device_tags.record import Record
from devlint.confirm.device_tags.tag import CPU, claim_of, device_of, is_on_accelerator
from devlint.facts.signature import OPERANDS, Mark


@dataclass(frozen=True, slots=True)
class Operand:
    tensor: Any
    name: str
    mark: Mark
    is_written: bool
    is_listed: bool

    @property
    def device(self) -> Any:
        return device_of(self.tensor)

    @property
    def is_open(self) -> bool:
        claim = claim_of(self.tensor)
        return claim is not None and claim.is_open

    @property
    def is_scalar(self) -> bool:
        return bool(self.tensor.dim() == 0)


def common_device(
    law: Law, operator: Any, args: Sequence[Any], kwargs: dict[str, Any], record: Record
) -> Any:
    """The device of the call's result; what CUDA refuses goes to `record`."""
    operands = list(_operands(law, operator, args, kwargs))
    for operand in operands:
        if operand.mark is Mark.STAYS_ON_CPU and is_on_accelerator(operand.tensor):
            message = cuda_messages.not_on_cpu(law.name, operand.tensor)
            record.refuse("cpu-only", message, [operand.tensor])
    if law.by_position:
        return _by_position(law, operands, record)
    device = _agreed(law, operands, record)
    _close(operands, device)
    return device


def _operands(
    law: Law, operator: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> Iterator[Operand]:
    for place, argument in enumerate(operator._schema.arguments):
        value = args[place] if place < len(args) else kwargs.get(argument.name)
        is_listed = isinstance(value, (list, tuple))
        for tensor in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(tensor, torch.Tensor):
                mark, is_written = law.marks[place], law.written[place]
                yield Operand(tensor, argument.name, mark, is_written, is_listed)


def _by_position(law: Law, operands: list[Operand], record: Record) -> Any:
    """Lists agree place by place; a tensor that is no list's is read as a number."""
    lists: dict[str, list[Operand]] = defaultdict(list)
    for operand in operands:
        if operand.is_listed:
            lists[operand.name].append(operand)
    for together in zip(*lists.values(), strict=False):
        _agreed(law, list(together), record)
    return operands[0].device


def _agreed(law: Law, operands: list[Operand], record: Record) -> Any:
    closed = [operand for operand in operands if not operand.is_open]
    _check_indices(law, closed, record)
    compared = [
        operand
        for operand in closed
        if operand.mark in OPERANDS and not _is_exempt(law, operand, closed)
    ]
    if not compared:
        return closed[0].device if closed else CPU
    first = next((each for each in compared if each.device.type == "cuda"), compared[0])
    leading = first if law.is_iterated else compared[0]
    odd = next((each for each in compared if each.device != leading.device), None)
    if odd is not None:
        message = cuda_messages.several_devices(
            law.name, leading.tensor, odd.tensor, odd.name, is_iterated=law.is_iterated
        )
        record.refuse("several-devices", message, [each.tensor for each in compared])
    return first.device


def _close(operands: list[Operand], device: Any) -> None:
    """What was open and is written with data of a device was on that device all along."""
    is_known = any(not operand.is_open for operand in operands)
    for operand in operands if is_known else ():
        if operand.is_open and operand.is_written:
            claim = claim_of(operand.tensor)
            claim.is_open, claim.device = False, device  # type: ignore[union-attr]


def _check_indices(law: Law, operands: list[Operand], record: Record) -> None:
    """An index may be on the CPU; elsewhere it has to be where the tensor is that is read."""
    if not law.reads_by_index or not operands or operands[0].name == "indices":
        return
    indexed = operands[0]
    for operand in operands[1:]:
        if operand.name == "indices" and operand.device not in (CPU, indexed.device):
            message = cuda_messages.NOT_AN_INDEX.format(first=indexed.device)
            record.refuse("index", message, [indexed.tensor, operand.tensor])


def _is_exempt(law: Law, operand: Operand, operands: list[Operand]) -> bool:
    """Whether a 0-dim tensor may meet the others wherever they are."""
    if not operand.is_scalar or operand.is_written:
        return False
    if law.puts_by_index and operand.name == "values":  # `index_put_` takes it along itself.
        return True
    if operand.device != CPU or not any(each.device.type == "cuda" for each in operands):
        return False
    return law.is_pointwise or operand.mark is Mark.SCALAR_EXEMPT
