"""A function is told a device, and makes what it makes elsewhere.

## Why is this bad?

A parameter `device` is a promise: what comes back is there. If nothing reads it, the caller who
asks for an accelerator gets tensors on the CPU, and an exception some lines or some files later,
where they meet the rest. `map_location` that is not handed on restores a checkpoint to where it was
saved from. So it is with an attribute that `__init__` makes on the device it is told, and another
method makes anew on the CPU.

## Bad

```python
import torch


def parse(lines, device=None):  # expect: DEV705
    values = [float(each) for each in lines]
    return torch.tensor(values)
```

## Good

```python
import torch


def parse(lines, device=None):
    values = [float(each) for each in lines]
    return torch.tensor(values, device=device)
```

## When it is silent

Functions that make no tensors and layers, and load none; signatures that others ask for: stubs,
methods that a base or another class of the file has as well or that a base out of view may have,
functions that are decorated, handed on as values, or take `**options`. Functions whose text or
docstring says that the parameter is not used, and those that read it by `locals()`.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.device_parameter_ignored.analysis import IgnoredParameters
from devlint_rules.device_parameter_ignored.attributes_made_anew import AttributesMadeAnew


class DeviceParameterIgnored(Rule[Problem]):
    code = "DEV705"
    name = "device-parameter-ignored"
    summary = "a function is told a device, and makes what it makes elsewhere"
    severity = "warning"
    needs = (IgnoredParameters, AttributesMadeAnew)
    is_silent = True
    precedence = 90
