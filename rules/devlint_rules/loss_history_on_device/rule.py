"""A loss that is kept for statistics keeps the graph of its step.

## Why is this bad?

A loss remembers what it was computed from, for `backward`. A sum or a list of losses remembers it
for every step: the memory of the accelerator fills up as the epoch goes on.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(4, 2).to("cuda")
total = 0.0
for x, y in loader:
    loss = nn.functional.mse_loss(model(x.to("cuda")), y.to("cuda"))
    loss.backward()  # related: DEV806
    total += loss  # expect: DEV806
```

## Good

```python
import torch
from torch import nn

model = nn.Linear(4, 2).to("cuda")
total = torch.zeros((), device="cuda")
for x, y in loader:
    loss = nn.functional.mse_loss(model(x.to("cuda")), y.to("cuda"))
    loss.backward()
    total += loss.detach()
```

## When it is silent

Where the sum is what `backward` is called on, by whatever name, where each round starts it anew,
under `no_grad`, for a loss that no `backward` of the same loop was called on, and for losses that
are not known to be on an accelerator.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.loss_history_on_device.analysis import LossHistories


class LossHistoryOnDevice(Rule[Problem]):
    code = "DEV806"
    name = "loss-history-on-device"
    summary = "a loss that is kept for statistics keeps the graph of its step"
    severity = "perf"
    needs = (LossHistories,)
    is_opt_in = True
    is_silent = True
