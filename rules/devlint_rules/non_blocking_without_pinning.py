"""What is in pageable memory is moved with `non_blocking=True`.

## Why is this bad?

An accelerator copies by itself only from pinned memory. From any other the CPU stays with the copy,
`non_blocking=True` or not: the line promises an overlap that does not happen.

## Bad

```python
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(64, 4)), batch_size=8)
for (x,) in loader:  # related: DEV804
    x = x.to("cuda", non_blocking=True)  # expect: DEV804
```

## Good

```python
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(64, 4)), batch_size=8, pin_memory=True)
for (x,) in loader:
    x = x.to("cuda", non_blocking=True)
```

## When it is silent

Where it is not known how the tensor or its loader was made, and in files that mention `pin_memory`.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Problem, Rule, StepCosts, Transfer


class NonBlockingWithoutPinning(Rule[Transfer]):
    code = "DEV804"
    name = "non-blocking-without-pinning"
    summary = "what is in pageable memory is moved with `non_blocking=True`"
    severity = "perf"
    watches = Transfer
    needs = (StepCosts,)
    is_opt_in = True
    is_silent = True

    def check(self, event: Transfer) -> Iterator[Problem]:
        origin = event.tensor.value.origin
        if event.is_async and event.is_pageable and origin is not None:
            yield Problem(
                event.node,
                f"`{event.tensor.name}` is in memory that is not pinned: the CPU waits for the "
                "copy in spite of `non_blocking=True`",
                ((origin.node, origin.text),),
            )
