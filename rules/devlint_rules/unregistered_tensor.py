"""A module keeps a tensor as a plain attribute, and combines it with its input.

## Why is this bad?

`Module.to`, `.cuda()` and their like move parameters, buffers and submodules. A tensor that is
merely assigned to `self` stays where it was made: on the CPU. Everything works until the module is
moved; then its forward pass raises *Expected all tensors to be on the same device*.

## Bad

```python
import torch
from torch import nn


class Position(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.table = torch.randn(length, width)  # expect: DEV102

    def forward(self, x):
        return x + self.table[: x.shape[1]]  # related: DEV102
```

## Fixed

Register it: a buffer moves with its module. `persistent=False` keeps it out of the state dict.

```python
import torch
from torch import nn


class Position(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.register_buffer("table", torch.randn(length, width), persistent=False)

    def forward(self, x):
        return x + self.table[: x.shape[1]]
```

## Good

Or move it where it is used.

```python
import torch
from torch import nn


class Position(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.table = torch.randn(length, width)

    def forward(self, x):
        return x + self.table[: x.shape[1]].to(x.device)
```

## When it is silent

Where the tensor is moved at its use (`self.table.to(x.device)`), has no dimensions, is an index
only, is assigned anew by other methods or from outside, and in classes that override `_apply`, `to`
or `cuda`, that register a buffer of that name, or that are data modules or metrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Fix, Problem, Rule, StrayState, registered_buffer


class UnregisteredTensor(Rule[StrayState]):
    code = "DEV102"
    name = "unregistered-tensor"
    summary = "a tensor that a module does not register stays behind when the module moves"
    severity = "warning"
    watches = StrayState
    precedence = 40

    def check(self, event: StrayState) -> Iterator[Problem]:
        name, partner = event.attribute.name, event.partner.told("another operand")
        device = event.partner.value.device
        if device.may_accelerate:
            other = f"{partner} on {device.told}"
            where = f"it stays on the CPU and meets {other} in `{event.operation}`"
        else:
            where = f"once the module is moved, `{event.operation}` mixes it with {partner}"
        yield Problem(
            event.attribute.assignment,
            f"`{name}` is a plain attribute, which no move of its module takes along: {where}",
            later=((event.node, f"meets {partner} here"),),
            severity="error" if device.may_accelerate else None,
            fault=event.node,
            fix=fix(event),
        )


def fix(event: StrayState) -> Fix | None:
    """Register it, out of the state dict, as it is now."""
    if event.registration is None:
        return None
    change = registered_buffer(event.attribute.assignment)
    message = f'register it: `register_buffer("{event.attribute.name}", .., persistent=False)`'
    return Fix(message, (change,), event.registration)
