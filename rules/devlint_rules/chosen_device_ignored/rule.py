"""Something is put on another device than the one that was chosen for it.

## Why is this bad?

A caller says where to compute: by an argument `device`, by where an input is, by moving a module. A
function that looks elsewhere for its device works as long as both happen to be the same, on one
accelerator or on none, and raises for the first caller who has two, or has none. So does one that
is told a device and does not hand it on to another, which takes an accelerator by default.

## Bad

```python
import torch


class Sampler:
    def __init__(self, scale):
        self.scale = scale
        self.device = torch.device("cpu")

    def sample(self, image, device):  # related: DEV704
        image = image.to(device)
        scale = torch.tensor(self.scale).to(self.device)  # expect: DEV704
        return image * scale
```

## Good

```python
import torch


class Sampler:
    def __init__(self, scale):
        self.scale = scale

    def sample(self, image, device):
        image = image.to(device)
        scale = torch.tensor(self.scale).to(device)
        return image * scale
```

## When it is silent

A method that compares its argument with something, assigns it or hands it on to nobody; the use of
a device in the branch that has made sure of it; a default that is an accelerator in a program that
names accelerators elsewhere. DEV701 and DEV702 are for those who want more.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.chosen_device_ignored.analysis import DeviceChoices


class ChosenDeviceIgnored(Rule[Problem]):
    code = "DEV704"
    name = "chosen-device-ignored"
    summary = "something is put on another device than the one that was chosen for it"
    severity = "warning"
    needs = (DeviceChoices,)
    is_silent = True
    precedence = 45
