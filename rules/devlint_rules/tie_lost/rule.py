"""Two modules that should share one parameter hold one each.

## Why is this bad?

Modules are tied by holding the same `Parameter` object: that survives every `.to(device)`. A new
`nn.Parameter(other.weight.data)` only shares memory with the other, and only as long as both stay
where they are. On the CPU the two look tied, though an optimizer steps over both; once moved to
an accelerator each has a copy of its own, and they drift apart without a word.

`load_state_dict(assign=True)`, and `to_empty` from `meta`, put a parameter of its own in every
place: what the constructor tied is not tied any more.

## Bad

```python
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.head = nn.Linear(4, 8, bias=False)
        self.head.weight = nn.Parameter(self.embed.weight.data)  # expect: DEV501

    def forward(self, x):
        return self.head(self.embed(x))

model = Net().to("cuda")
```

## Good

```python
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.head = nn.Linear(4, 8, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, x):
        return self.head(self.embed(x))

model = Net().to("cuda")
```

## When it is silent

The same `Parameter` assigned, a `clone()`, another type or anything computed, where one of the two
is replaced, deleted or never read, two modules that are not parts of one, a tie under a condition,
and models that are tied again (a call of `tie_weights`, an assignment, a function that gets the
model) before they are used.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.tie_lost.analysis import LostTies


class LostTie(Rule[Problem]):
    code = "DEV501"
    name = "tie-lost"
    summary = "two modules that should share one parameter hold one each"
    severity = "warning"
    needs = (LostTies,)
    is_silent = True
