"""`DataParallel` runs a model that is not on its first device.

## Why is this bad?

`DataParallel` copies a model from the first of its devices to the others in each call, and moves
nothing itself, unless it finds a single accelerator. So a script runs on the machine with one GPU,
and on that with several it raises `module must have its parameters and buffers on device cuda:0
(device_ids[0]) but found one of them on device: cpu`. `.cuda()` is no help where the first device
is another one than the current.

## Bad

```python
import torch
from torch import nn

model = nn.DataParallel(nn.Linear(3, 2))  # related: DEV208
print(model(torch.ones(4, 3)))  # expect: DEV208
```

## Good

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.DataParallel(nn.Linear(3, 2)).to(device)
print(model(torch.ones(4, 3)))
```

## When it is silent

Models that may have been moved, by the program or by code out of view, and device numbers that are
not written out, such as those of the command line.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.replicated_elsewhere.analysis import Replicas


class ReplicatedElsewhere(Rule[Problem]):
    code = "DEV208"
    name = "replicated-elsewhere"
    summary = "`DataParallel` runs a model that is not on its first device"
    severity = "error"
    needs = (Replicas,)
    precedence = 40
