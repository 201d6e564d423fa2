"""A tensor in pageable memory is moved with `non_blocking=True`.

## Why is this bad?

An accelerator copies by itself only from pinned memory. From any other the CPU stays with the copy,
`non_blocking=True` or not: the line promises an overlap that does not happen.

## Bad

```python
import torch

for step in range(10):
    mask = torch.tensor([True, False, True])  # related: DEV804
    mask = mask.to("cuda", non_blocking=True)  # expect: DEV804
```

## Good

```python
import torch

mask = torch.tensor([True, False, True]).pin_memory()
mask = mask.to("cuda", non_blocking=True)
```

## When it is silent

Where it is not known how the tensor was made, and in files that mention `pin_memory`.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.event import Transfer
from devlint.problem import Problem
from devlint.rule import Rule


class NonBlockingWithoutPinning(Rule[Transfer]):
    code = "DEV804"
    name = "non-blocking-without-pinning"
    summary = "a tensor in pageable memory is moved with `non_blocking=True`"
    severity = "perf"
    watches = Transfer
    is_opt_in = True

    def check(self, event: Transfer) -> Iterator[Problem]:
        origin = event.tensor.value.origin
        if event.is_async and event.is_pageable and origin is not None:
            yield Problem(
                event.node,
                f"`{event.tensor.name}` is in memory that is not pinned: the CPU waits for the "
                "copy in spite of `non_blocking=True`",
                ((origin.node, origin.text),),
            )
