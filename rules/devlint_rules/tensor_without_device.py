"""A tensor is made on the CPU and meets what is wherever the caller put it.

## Why is this bad?

A factory without `device=` makes its tensor on the CPU. In a `forward`, a loss or a helper it then
meets an argument, a parameter or a buffer, which are wherever the user moved them. On the CPU
nobody notices; on an accelerator the line raises *Expected all tensors to be on the same device*.
A `__deepcopy__` that builds the module anew has the same fault: the copy is on the CPU.

## Bad

```python
import torch
from torch import nn

class Attention(nn.Module):
    def forward(self, x):
        scores = x @ x.transpose(1, 2)
        mask = torch.ones(x.shape[1], x.shape[1]).tril()  # expect: DEV203
        return scores * mask  # related: DEV203
```

## Fixed

```python
import torch
from torch import nn

class Attention(nn.Module):
    def forward(self, x):
        scores = x @ x.transpose(1, 2)
        mask = torch.ones(x.shape[1], x.shape[1], device=x.device).tril()
        return scores * mask
```

## Good

Ask for the device of what it will meet; a 0-dimensional CPU tensor may meet any.

```python
import torch
from torch import nn

class Attention(nn.Module):
    def forward(self, x):
        scores = x @ x.transpose(1, 2)
        mask = torch.ones(x.shape[1], x.shape[1], device=x.device).tril()
        return scores * mask * torch.tensor(0.5)
```

## When it is silent

Where the tensor is moved before it meets anything, is 0-dimensional, or only an index; where a
default device or `with torch.device(..)` places it; in data sets, transforms, collate functions and
initialisation, which run on the CPU; and where the other operand may be a plain number.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Communicated,
    Facsimile,
    Fix,
    Problem,
    RandomDraws,
    Rule,
    Safety,
    Unplaced,
    moved_to,
    with_keyword,
)


class TensorWithoutDevice(Rule[Unplaced | Communicated | Facsimile]):
    code = "DEV203"
    name = "tensor-without-device"
    summary = "a tensor made on the CPU meets an argument, parameter or buffer"
    severity = "warning"
    watches = (Unplaced, Communicated, Facsimile)
    needs = (RandomDraws,)
    precedence = 50

    def check(self, event: Unplaced | Communicated | Facsimile) -> Iterator[Problem]:
        if isinstance(event, Communicated):
            yield communicated(event)
        else:
            yield copied(event) if isinstance(event, Facsimile) else unplaced(event)


def communicated(event: Communicated) -> Problem:
    return Problem(
        event.factory.call,
        f"this tensor is made on the CPU, and NCCL takes only tensors on accelerators: "
        f"`{event.operation}` raises",
        later=((event.node, "it is handed to other processes here"),),
    )


def unplaced(event: Unplaced) -> Problem:
    is_given = event.partner.name == event.like.text
    where = "where the caller put it" if is_given else f"on the device of `{event.like.text}`"
    return Problem(
        event.factory.call,
        f"this tensor is made on the CPU and meets {event.partner.told('a tensor')}, which is "
        f"{where}: on an accelerator this raises",
        later=((event.node, f"they meet in `{event.operation}` here"),),
        fix=fix(event),
    )


def copied(event: Facsimile) -> Problem:
    return Problem(
        event.node,
        f"`{event.method}` builds the copy on the CPU, wherever the module is: what is not copied "
        "into it stays there",
    )


def fix(event: Unplaced) -> Fix | None:
    """Make it where its partner is; what takes no device is moved there."""
    if event.place is None:
        return None
    call = event.factory.call
    safety: Safety = "safe" if event.is_sure_there else "unsafe"
    if event.factory.takes_device:
        change = with_keyword(call, "device", event.place)
        return Fix(f"make it there: `device={event.place}`", (change,), safety)
    return Fix(f"move it there: `.to({event.place})`", (moved_to(call, event.place),), safety)
