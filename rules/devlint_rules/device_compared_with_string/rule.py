"""A `torch.device` is compared with a string.

## Why is this bad?

A device equals devices and nothing else: `x.device == "cuda"` is false wherever `x` is, and nobody
complains. The branch never runs, or always.

## Bad

```python
import torch


def amount(x: torch.Tensor):
    if x.device == "cuda":  # expect: DEV703
        return torch.cuda.memory_allocated()
    return 0
```

## Good

```python
import torch


def amount(x: torch.Tensor):
    if x.device.type == "cuda":
        return torch.cuda.memory_allocated()
    return 0
```

## When it is silent

Settings such as `args.device` and `self.device`, which may be strings; `x.device.type` and
`str(x.device)`, which are.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.device_compared_with_string.analysis import DeviceComparisons


class DeviceComparedWithString(Rule[Problem]):
    code = "DEV703"
    name = "device-compared-with-string"
    summary = "a `torch.device` is compared with a string, and never equal to it"
    severity = "warning"
    needs = (DeviceComparisons,)
    is_silent = True
