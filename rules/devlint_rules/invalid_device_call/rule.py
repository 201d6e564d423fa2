"""A call asks for a device in a way that PyTorch refuses.

## Why is this bad?

The line that chooses the accelerator is often the one that nobody has run: on the machine where the
program was written, it is skipped. There is no device called `gpu`; `Module.cuda` takes the device
and nothing else; a list of tensors has no `.cuda()`; the legacy constructors, `torch.FloatTensor`
and its like, make tensors on the CPU only, and take none from elsewhere, as those of `torch.cuda`
take none from the CPU. Each of these raises, as soon as it is reached. So does a call that is told
what `x.get_device()` gives for an `x` on the CPU: -1 is the number of no device. And `x.cuda`
without parentheses is a method, where a tensor was meant.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(3, 2)
if torch.cuda.is_available():
    model.to("gpu")  # expect: DEV207
    model.cuda(non_blocking=True)  # expect: DEV207
```

## Good

```python
import torch
from torch import nn

model = nn.Linear(3, 2)
if torch.cuda.is_available():
    model.to("cuda")
    model.cuda(0)
```

## When it is silent

Where the function that asks for the number of a device has a test of it, or of accelerators; where
a name may be that of a backend that others register, such as `npu`; where a class in view has
a method of its own of that name; and where what is called is of no known kind and may take what it
is given.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.invalid_device_call.analysis import InvalidCalls
from devlint_rules.invalid_device_call.device_indices import DeviceIndices
from devlint_rules.invalid_device_call.uncalled_moves import UncalledMoves


class InvalidDeviceCall(Rule[Problem]):
    code = "DEV207"
    name = "invalid-device-call"
    summary = "a call asks for a device in a way that PyTorch refuses"
    severity = "error"
    needs = (InvalidCalls, DeviceIndices, UncalledMoves)
    precedence = 43
