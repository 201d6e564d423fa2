"""What is on an accelerator is copied to pinned memory.

## Why is this bad?

Pinned memory is memory of the CPU that an accelerator may read by itself. A tensor that is on the
accelerator already cannot be pinned: *cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors
can be pinned*. A loader with `pin_memory=True` does that to each batch, and so needs a data set on
the CPU.

## Bad

```python
import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.rand(8, 2).cuda())  # related: DEV603
loader = DataLoader(data, batch_size=4, pin_memory=True)  # expect: DEV603
```

## Good

Keep the data on the CPU and move each batch, or keep it on the accelerator and pin nothing.

```python
import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.rand(8, 2))
for (batch,) in DataLoader(data, batch_size=4, pin_memory=True):
    batch = batch.to("cuda", non_blocking=True)
```

## When it is silent

Where it is not known that the tensors are on an accelerator, or that the loader pins.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.pinned_accelerator_tensor.analysis import PinnedMemory


class PinnedAcceleratorTensor(Rule[Problem]):
    code = "DEV603"
    name = "pinned-accelerator-tensor"
    summary = "what is on an accelerator is copied to pinned memory"
    severity = "error"
    needs = (PinnedMemory,)
