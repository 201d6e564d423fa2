"""A tensor is copied to the CPU and, unchanged, back to an accelerator.

## Why is this bad?

Two copies give what was there before, and the first one waits for the accelerator. The result
shares no memory with the tensor that it came from, so a later change of one does not show in the
other.

## Bad

```python
import torch

scores = torch.ones(3, device="cuda")
host = scores.cpu()  # related: ACME002
best = host.to("cuda")  # expect: ACME002
```

## Good

Keep the tensor that is there.

```python
import torch

scores = torch.ones(3, device="cuda")
host = scores.cpu()
host += 1
best = host.to("cuda")
```

## When it is silent

Where the copy on the CPU is changed in place on some path, and where something is computed from
it: what goes back is not what came.
"""

from __future__ import annotations

from acme_rules.round_trip.analysis import RoundTrips
from devlint.api import Problem, Rule


class RoundTrip(Rule[Problem]):
    code = "ACME002"
    name = "round-trip"
    summary = "a tensor is copied to the CPU and, unchanged, back to an accelerator"
    severity = "warning"
    needs = (RoundTrips,)
    is_silent = True
