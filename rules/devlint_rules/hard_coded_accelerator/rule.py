"""A literal accelerator stands where something else says which device to use.

## Why is this bad?

`.cuda()` and `device="cuda"` tie a line to one kind of accelerator. The rest of the program may go
where a variable says, or where its module was moved; this line does not follow, and fails on the
first machine without CUDA. So does a line beside a test that shows that there may be none, and a
function such as `torch.cuda.set_device` that is told a device which a test has set to the CPU.

## Bad

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # related: DEV701
x = torch.ones(3, device=device)
mask = torch.zeros(3).cuda()  # expect: DEV701
```

## Good

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
mask = torch.zeros(3, device=device)
```

## When it is silent

Literals below a test of the accelerator or in its arms, defaults of parameters and options,
`autocast` and `GradScaler`, comparisons, `set_device(0)`, the definition of the variable itself,
and programs without a device variable, or with one that they only print, `forward` and what it
calls of its class apart, which is one finding for each class; a class that puts parts of itself on
accelerators that it names. In `forward`, and where nothing asks whether there is an accelerator,
the confidence is low, unless what is put there meets what is on a chosen device: a program may be
meant for one kind.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.hard_coded_accelerator.analysis import LiteralAccelerators
from devlint_rules.hard_coded_accelerator.cuda_functions import CudaFunctions


class HardCodedAccelerator(Rule[Problem]):
    code = "DEV701"
    name = "hard-coded-accelerator"
    summary = "a literal accelerator stands where something else says which device to use"
    severity = "warning"
    needs = (LiteralAccelerators, CudaFunctions)
    is_silent = True
