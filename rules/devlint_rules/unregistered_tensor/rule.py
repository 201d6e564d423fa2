"""A module keeps a tensor as a plain attribute, and combines it with its input.

## Why is this bad?

`Module.to`, `.cuda()` and their like move parameters, buffers and submodules. A tensor that is
merely assigned to `self` stays where it was made: on the CPU. Everything works until the module is
moved; then its forward pass raises *Expected all tensors to be on the same device*. So does what
holds tensors (a distribution of `torch.distributions`), and what is computed of an argument of the
constructor, unless its caller had put that on the accelerator already.

## Bad

```python
import torch
from torch import nn


class Position(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.table = torch.randn(length, width)  # expect: DEV102

    def forward(self, x):
        return x + self.table[: x.shape[1]]  # related: DEV102
```

## Fixed

Register it: a buffer moves with its module. `persistent=False` keeps it out of the state dict.

```python
import torch
from torch import nn


class Position(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.register_buffer("table", torch.randn(length, width), persistent=False)

    def forward(self, x):
        return x + self.table[: x.shape[1]]
```

## Good

Or move it where it is used.

```python
import torch
from torch import nn


class Position(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.table = torch.randn(length, width)

    def forward(self, x):
        return x + self.table[: x.shape[1]].to(x.device)
```

## When it is silent

Where the tensor is moved at its use (`self.table.to(x.device)`), has no dimensions, is an index
only, is assigned anew by other methods or from outside, and in classes that override `_apply`, `to`
or `cuda`, that register a buffer of that name or under a name made up at run time, or that are data
modules or metrics.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.unregistered_tensor.analysis import UnregisteredTensors


class UnregisteredTensor(Rule[Problem]):
    code = "DEV102"
    name = "unregistered-tensor"
    summary = "a tensor that a module does not register stays behind when the module moves"
    severity = "warning"
    needs = (UnregisteredTensors,)
    precedence = 40
