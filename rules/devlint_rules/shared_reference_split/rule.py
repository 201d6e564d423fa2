"""One tensor, moved twice, is one on the CPU and two on an accelerator.

## Why is this bad?

`x.to(device)` gives `x` itself where it is on that device already, and a new tensor where it is
not. A container that holds `x` twice, moved an item at a time, therefore holds one tensor twice
on the CPU and two tensors on an accelerator. A change in place of one of them, a step of an
optimizer over both, or a comparison with `is`, does different things on the two.

## Bad

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4)
clean, noisy = x.to(device), x.to(device)  # expect: DEV502
noisy += torch.randn(4, device=device)  # related: DEV502
print((clean - noisy).abs().max())
```

## Good

Say which is meant: a copy, or the same tensor.

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4)
clean = x.to(device)
noisy = clean.clone()
noisy += torch.randn(4, device=device)
print((clean - noisy).abs().max())
```

## When it is silent

Copies that are only read (mostly they are wanted), modules, which move in place, tensors that are
on the accelerator before, and those that go to the CPU.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.shared_reference_split.analysis import SharedReferences


class SharedReferenceSplit(Rule[Problem]):
    code = "DEV502"
    name = "shared-reference-split"
    summary = "one tensor, moved twice, is one on the CPU and two on an accelerator"
    severity = "warning"
    needs = (SharedReferences,)
    is_silent = True
