"""Modules are kept in a plain list, tuple or dict, where their module does not see them.

## Why is this bad?

`nn.Module` registers the modules that are assigned to its attributes, and looks into no list.
`model.to(device)` leaves the layers of the list on the CPU, `model.parameters()` does not hand
their weights to the optimizer, `state_dict` does not save them. On the CPU nothing complains: the
layers merely never learn. So it is with an `nn.Parameter` in a list, for which there are
`nn.ParameterList` and `nn.ParameterDict`.

## Bad

```python
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        self.layers = [nn.Linear(width, width) for _ in range(depth)]  # expect: DEV103

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))  # related: DEV103
        return x
```

## Fixed

`nn.ModuleList` and `nn.ModuleDict` register what they hold. Their weights are new keys of the state
dict, so that checkpoints saved before do not fit.

```python
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x
```

## Good

```python
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(width, width) for _ in range(depth)])

    def forward(self, x):
        return self.layers(x)
```

## When it is silent

Where the modules are registered as well (`add_module`, `setattr`, other attributes, a `ModuleList`
or `Sequential` of the list), are moved by themselves in any method, have no parameters, where code
that is not in view or another object gets hold of them, the attribute is assigned more than once,
`forward` does not come to them, or a single module is hidden on purpose
(`self.teacher = [teacher]`).
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.unregistered_module.analysis import HiddenModules


class UnregisteredModule(Rule[Problem]):
    code = "DEV103"
    name = "unregistered-module"
    summary = "modules in a plain list, tuple or dict are not moved with the module that calls them"
    severity = "warning"
    needs = (HiddenModules,)
    precedence = 41
