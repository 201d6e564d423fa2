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

from collections.abc import Iterator

from devlint.api import EmptyUse, Problem, Rule


class MetaLeftEmpty(Rule[EmptyUse]):
    code = "DEV404"
    name = "meta-left-empty"
    summary = "a module that was built on `meta` is used before all of it is filled"
    severity = "warning"
    watches = EmptyUse
    is_silent = True

    def check(self, event: EmptyUse) -> Iterator[Problem]:
        related = [(buffer.node, "registered here") for buffer in event.buffers]
        yield Problem(
            event.emptied.node,
            message(event),
            tuple(related) if event.has_parameters else (),
            later=((event.node, "and used here"),),
        )


def message(event: EmptyUse) -> str:
    if not event.has_parameters:
        return (
            "the module's parameters and buffers are left as the memory happens to be: nothing "
            "fills them before it is used"
        )
    names = ", ".join(f"`{name}`" for name in dict.fromkeys(b.name for b in event.buffers))
    why = (
        "a loop over the parameters fills no buffer"
        if any(buffer.is_persistent for buffer in event.buffers)
        else "what is not persistent is in no state dict"
    )
    return f"nothing fills the module's {names} before it is used: {why}"
