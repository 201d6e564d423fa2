"""An argument that its function wants in one place is in another.

## Why is this bad?

Some arguments are no data, and nobody thinks of moving them: the class weights of a loss, the first
hidden state of an RNN, a table that labels are looked up in, a metric. They are made once, on the
CPU, and meet what is on the accelerator. Some are the other way about: `pack_padded_sequence`
takes its lengths from the CPU only, and `set_rng_state` the state that a checkpoint has brought.
Lengths that a module computes of its input are where that is.

## Bad

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.tensor([1.0, 5.0])  # expect: DEV206
criterion = nn.CrossEntropyLoss(weight=weight)
logits = torch.randn(8, 2, device=device)
labels = torch.zeros(8, dtype=torch.long, device=device)
loss = criterion(logits, labels)  # related: DEV206
```

## Good

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.tensor([1.0, 5.0], device=device)
criterion = nn.CrossEntropyLoss(weight=weight)
logits = torch.randn(8, 2, device=device)
labels = torch.zeros(8, dtype=torch.long, device=device)
loss = criterion(logits, labels)
```

A loss that holds weights can also be moved as a whole: `criterion.to(device)`.

## When it is silent

Where the device of the argument or of what it meets is not known, a 0-dimensional `pos_weight`,
metrics that a module holds and takes along, and lengths that are an input of their own: who has
them on the CPU hands them in so.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Combine,
    Feed,
    InconsistentInputs,
    Operand,
    Problem,
    Rule,
    unless_moved,
)
from devlint_rules.device_bound_argument.analysis import CpuArguments
from devlint_rules.device_bound_argument.input_arguments import InputArguments


class DeviceBoundArgument(Rule[Combine | Feed]):
    code = "DEV206"
    name = "device-bound-argument"
    summary = "an argument that belongs in one place is in another"
    severity = "error"
    watches = (Combine, Feed)
    needs = (InconsistentInputs, CpuArguments, InputArguments)
    precedence = 44

    def check(self, event: Combine | Feed) -> Iterator[Problem]:
        operands = event.operands if isinstance(event, Combine) else (event.module, *event.inputs)
        for bound in operands:
            partner = next((o for o in operands if is_left(bound, o)), None)
            if partner is not None:
                yield left(event, bound, partner)
                return


def is_left(bound: Operand, partner: Operand) -> bool:
    """Whether an argument is on the CPU, and the data that it meets is not."""
    if not bound.role or not bound.value.device.is_cpu or partner.role:
        return False
    return partner.value.device.may_accelerate and not bound.may_meet(partner)


def left(event: Combine | Feed, bound: Operand, partner: Operand) -> Problem:
    origin = bound.value.origin
    node = event.node if origin is None else origin.node
    related = []
    presumed = unless_moved(bound)
    called = [(event.call, "the model is called here")] if event.call is not None else []
    if partner.value.origin is not None:
        related.append(
            (partner.value.origin.node, f"`{partner.name}`: {partner.value.origin.text}")
        )
    return Problem(
        node,
        f"the {bound.role} `{bound.name}` stays on the CPU, and meets `{partner.name}`, which is "
        f"on {partner.value.device.accelerated.told}: on an accelerator this raises"
        f"{presumed.clause}",
        tuple(related),
        later=(*called, (event.node, f"read here, with `{partner.name}`")),
        fault=event.node,
        presumes=presumed.presumes,
    )
