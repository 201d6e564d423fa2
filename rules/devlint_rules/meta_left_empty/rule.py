"""A module that was built on `meta` is used before something has filled all of it.

## Why is this bad?

`to_empty` gives parameters and buffers memory, with whatever was in it. A `load_state_dict` fills
what the file has, which is never a buffer registered with `persistent=False`; a loop over
`parameters()` fills no buffer at all. Nothing raises: the model computes with garbage, or with
zeros on a fresh process.

With `assign=True` there is no `to_empty`, and such a buffer stays on `meta`.

## Bad

```python
import torch
from torch import nn

class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)
        self.register_buffer("scale", torch.arange(4) / 4, persistent=False)  # related: DEV404

    def forward(self, x):
        return self.project(x) * self.scale

with torch.device("meta"):
    model = Scaled()
model.to_empty(device="cuda")  # expect: DEV404
model.load_state_dict(torch.load("scaled.pt", map_location="cuda"))
model(torch.ones(1, 4, device="cuda"))  # related: DEV404
```

## Good

Let the model initialise what no file has.

```python
import torch
from torch import nn

class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)
        self.register_buffer("scale", torch.empty(4), persistent=False)
        self.init_buffers()

    def init_buffers(self):
        self.scale.copy_(torch.arange(4) / 4)

    def forward(self, x):
        return self.project(x) * self.scale

with torch.device("meta"):
    model = Scaled()
model.to_empty(device="cuda")
model.load_state_dict(torch.load("scaled.pt", map_location="cuda"))
model.init_buffers()
model(torch.ones(1, 4, device="cuda"))
```

## When it is silent

Where a method of the model (`reset_parameters`, `init_weights`), code out of view, a loop over
its buffers or modules, or an access to one of its parts may have filled it; buffers made by
`zeros` or `empty`, which are written to before they are read; models that nothing in view uses.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.meta_left_empty.analysis import EmptyModules


class MetaLeftEmpty(Rule[Problem]):
    code = "DEV404"
    name = "meta-left-empty"
    summary = "a module that was built on `meta` is used before all of it is filled"
    severity = "warning"
    needs = (EmptyModules,)
    is_silent = True
