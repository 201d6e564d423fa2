"""A tensor that is to be trained is moved, and what is trained is not what is used.

## Why is this bad?

`.to(device)` gives another tensor. The copy of a leaf is the result of an operation: it is no
parameter, gradients go past it to the leaf, and no optimizer can hold it. On the CPU the same call
gives the leaf itself, so that the program trains there and on an accelerator it does not.

## Bad

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
noise = torch.randn(3, requires_grad=True)  # related: DEV105
optimizer = torch.optim.Adam([noise])
noise = noise.to(device)  # expect: DEV105
```

## Good

Make it on the device, and hand that to the optimizer.

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
noise = torch.randn(3, device=device, requires_grad=True)
optimizer = torch.optim.Adam([noise])
```

## When it is silent

Where the leaf stays within reach (`loss(noise.to(device))`), or the module keeps the parameter as
well as its copy, where the move comes before `requires_grad_()` or `nn.Parameter(..)`, and where
nothing asks the copy for its gradient.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.leaf_lost_by_move.analysis import AutogradLeaves


class LeafLostByMove(Rule[Problem]):
    code = "DEV105"
    name = "leaf-lost-by-move"
    summary = "a tensor that is to be trained is replaced by its copy on a device"
    severity = "error"
    needs = (AutogradLeaves,)
    is_silent = True
    precedence = 12
