"""The CPU reads a tensor whose copy from an accelerator has not arrived yet.

## Why is this bad?

`x.to("cpu", non_blocking=True)` starts a copy and returns at once. Until the accelerator is done
the tensor on the CPU holds whatever its memory held before, zeros as a rule. No error is raised:
the values are silently wrong, now and then.

## Bad

```python
import torch

x = torch.rand(1000, device="cuda")
y = x.to("cpu", non_blocking=True)  # related: DEV601
print(y.sum())  # expect: DEV601
```

## Good

Wait, or let the copy wait: a copy without `non_blocking` returns when it is complete.

```python
import torch

x = torch.rand(1000, device="cuda")
y = x.to("cpu", non_blocking=True)
torch.cuda.synchronize()
print(y.sum())
z = x.to("cpu")
print(z.sum())
```

## When it is silent

After a synchronisation (of the device, a stream or an event), after any copy that waits, and for
data that goes back to the accelerator, which keeps its order. Copies *to* an accelerator are read
there, behind the copy.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.unsynchronised_read.analysis import UnsynchronisedCopies


class UnsynchronisedReads(Rule[Problem]):
    code = "DEV601"
    name = "unsynchronised-read"
    summary = "the CPU reads a tensor whose copy from an accelerator may be under way"
    severity = "warning"
    needs = (UnsynchronisedCopies,)
    is_silent = True
