"""A training step waits for the accelerator more than once.

## Why is this bad?

The CPU queues work for the accelerator and runs ahead of it. `.item()`, `.cpu()`, `float(t)` and
`print(t)` need a value: the CPU waits until all that is queued is done, and the accelerator idles
while the next work is queued. Each further read in a step stops both once more.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(4, 2).to("cuda")
optimizer = torch.optim.Adam(model.parameters())
for x, y in loader:
    output = model(x.to("cuda"))
    loss = nn.functional.mse_loss(output, y.to("cuda"))
    history.append(loss.item())  # expect: DEV801
    loss.backward()  # related: DEV801
    optimizer.step()
    print(output.mean().item())  # related: DEV801
```

## Good

Collect on the accelerator, and read once in a while.

```python
import torch
from torch import nn

model = nn.Linear(4, 2).to("cuda")
optimizer = torch.optim.Adam(model.parameters())
total = torch.zeros((), device="cuda")
for step, (x, y) in enumerate(loader):
    output = model(x.to("cuda"))
    loss = nn.functional.mse_loss(output, y.to("cuda"))
    loss.backward()
    optimizer.step()
    total += loss.detach()
    if step % 100 == 0:
        print(total.item(), output.mean().item())
```

## When it is silent

Reads in a single statement of each step, which may call a function that reads several times, reads
that not every step comes to (under an `if`, in a handler), loops without `backward`, and values
that are not known to be on an accelerator.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Problem, Rule, StepCosts, Steps


class SyncInLoop(Rule[Steps]):
    code = "DEV801"
    name = "sync-in-loop"
    summary = "a training step waits for the accelerator more than once"
    severity = "perf"
    watches = Steps
    needs = (StepCosts,)
    is_opt_in = True
    is_silent = True

    def check(self, event: Steps) -> Iterator[Problem]:
        if len(event.reads) < 2:
            return
        first, *others = event.reads
        waits = ((each.node, f"`{each.text}` waits as well") for each in others)
        yield Problem(
            first.node,
            f"`{first.text}` is the first of {len(event.reads)} places in each step where the CPU "
            "waits for the accelerator",
            ((event.backward, "the step that waits"),),
            later=tuple(waits),
        )
