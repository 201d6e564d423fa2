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

Where the sum is what `backward` is called on, where each round starts it anew, under `no_grad`, and
for losses that are not known to be on an accelerator.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import History, Problem, Rule, StepCosts


class LossHistoryOnDevice(Rule[History]):
    code = "DEV806"
    name = "loss-history-on-device"
    summary = "a loss that is kept for statistics keeps the graph of its step"
    severity = "perf"
    watches = History
    needs = (StepCosts,)
    is_opt_in = True
    is_silent = True

    def check(self, event: History) -> Iterator[Problem]:
        yield Problem(
            event.node,
            f"`{event.total}` keeps `{event.loss}` of every step, and with it the graph of the "
            "step: take `.detach()` of it",
            ((event.backward, f"the graph of `{event.loss}` has served here"),),
        )
