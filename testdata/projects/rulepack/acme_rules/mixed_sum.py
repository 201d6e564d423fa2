"""Two tensors that are added live on different devices.

## Why is this bad?

PyTorch moves no operand by itself: the line raises on the first machine with an accelerator.

## Bad

```python
import torch

x = torch.ones(3, device="cuda")  # related: ACME001
x + torch.ones(3)  # expect: ACME001  # related: ACME001
```

## Good

```python
import torch

x = torch.ones(3, device="cuda")
x + torch.ones(3, device=x.device)
```

## When it is silent

Where a device is not known, and where PyTorch allows the mixture: one of the tensors is
0-dimensional and on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Combine, Problem, Rule, origins


class MixedSum(Rule[Combine]):
    code = "ACME001"
    name = "mixed-sum"
    summary = "two tensors that are added live on different devices"
    severity = "error"
    watches = Combine
    masks = ("DEV201",)

    def check(self, event: Combine) -> Iterator[Problem]:
        if event.operation != "+":
            return
        left, right = event.operands
        if not left.may_meet(right):
            devices = f"{left.value.device.told} with {right.value.device.told}"
            related = origins((left, right), lambda operand: operand.told("this"))
            yield Problem(event.node, f"`+` mixes {devices}", related)
