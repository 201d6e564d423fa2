"""A tensor goes to the current accelerator, or to a remembered one, and not to where it belongs.

## Why is this bad?

`.cuda()` without an index means the current device, `cuda:0` as a rule. On a machine with several
accelerators a tensor that came from `cuda:1` returns to `cuda:0`, and raises when it meets the
rest. A device that a module keeps in an attribute is just as stale once `module.to(...)` was
called.

## Bad

```python
import torch


def positions(x):  # related: DEV702
    steps = torch.arange(x.shape[1])
    if x.is_cuda:
        steps = steps.cuda()  # expect: DEV702
    return x + steps
```

## Good

```python
import torch


def positions(x):
    return x + torch.arange(x.shape[1], device=x.device)
```

## When it is silent

Moves that name a device; what is known to be on the current accelerator. A device that the class
keeps up to date by a `to` of its own, by a property or in other methods, and one that may be
None; classes without parameters and buffers, which nobody moves; classes of which the program
makes the only object itself. That a module keeps a device of a configuration is told with low
confidence.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.device_index_lost.analysis import LostIndices


class DeviceIndexLost(Rule[Problem]):
    code = "DEV702"
    name = "device-index-lost"
    summary = "a tensor goes to the current or a remembered accelerator, not to where it belongs"
    severity = "warning"
    needs = (LostIndices,)
    is_silent = True
