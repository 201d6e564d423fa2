"""A tensor on an accelerator is made a NumPy array.

## Why is this bad?

NumPy arrays live in the memory of the CPU, and PyTorch copies nothing there by itself. `x.numpy()`
works as long as `x` is on the CPU and raises on an accelerator: *can't convert cuda:0 device type
tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.* So do the functions of
NumPy, pandas, scikit-learn, SciPy and matplotlib, which make an array of what they get.

## Bad

```python
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scores = torch.rand(8, device=device)  # related: DEV205
ranks = np.argsort(scores)  # expect: DEV205
```

## Fixed

```python
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scores = torch.rand(8, device=device)
ranks = np.argsort(scores.cpu())
```

## Good

Collect plain numbers where that is all you need: `item` and `tolist` work on every device.

```python
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
losses = []
for scores in torch.rand(8, 2, device=device):
    losses.append(scores.mean().item())
print(np.mean(losses), torch.rand(8, device=device).cpu().numpy())
```

## When it is silent

Where the tensor may be on the CPU on some path: the labels of a loader, what is moved under a flag
that guards the call as well, an argument. It is an argument that the same function asks for its
device, or copies to the CPU elsewhere, that is reported: that code means to run on any device. So
is what a model has computed that the code is given, or whose method it is, if the program handles
devices at all; with low confidence where a whole project is looked at, the file says nothing of
devices, and nothing that comes to it puts anything on an accelerator.
After `.cpu()`, with `force=True`, and in a `try` that catches what is raised.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.numpy_on_accelerator.analysis import NumpyExports
from devlint_rules.numpy_on_accelerator.uncopied import UncopiedExports


class NumpyOnAccelerator(Rule[Problem]):
    code = "DEV205"
    name = "numpy-on-accelerator"
    summary = "a tensor on an accelerator is made a NumPy array"
    severity = "error"
    needs = (NumpyExports, UncopiedExports)
