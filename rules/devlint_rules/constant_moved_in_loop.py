"""Every round of a loop moves the same tensor.

## Why is this bad?

The tensor does not change in the loop, but each round copies it to the accelerator again.

## Bad

```python
import torch

weights = torch.tensor([0.3, 0.7])  # related: DEV805
for scores in batches:
    total = scores @ weights.to("cuda")  # expect: DEV805
```

## Good

```python
import torch

weights = torch.tensor([0.3, 0.7]).to("cuda")
for scores in batches:
    total = scores @ weights
```

## When it is silent

Where the loop assigns the tensor or changes it in place, moves it to another device each time,
comes to the move under a condition, or ends in its first round.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Problem, Rule, StepCosts, Transfer


class ConstantMovedInLoop(Rule[Transfer]):
    code = "DEV805"
    name = "constant-moved-in-loop"
    summary = "every round of a loop moves the same tensor"
    severity = "perf"
    watches = Transfer
    needs = (StepCosts,)
    is_opt_in = True
    is_silent = True

    def check(self, event: Transfer) -> Iterator[Problem]:
        if event.loop is None:
            return
        origin = event.tensor.value.origin
        yield Problem(
            event.node,
            f"every round copies `{event.tensor.name}` again, which the loop does not change: move "
            "it before the loop",
            ((origin.node, origin.text),) if origin is not None else (),
        )
