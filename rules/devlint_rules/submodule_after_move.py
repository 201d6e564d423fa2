"""A submodule is assigned after its module was moved, and stays on the CPU.

## Why is this bad?

`module.to(device)` moves the parameters that the module has at that moment. A layer that is
assigned afterwards was made on the CPU and stays there. Nothing complains until the first forward
pass on an accelerator: *Expected all tensors to be on the same device*.

The usual victim is the head that is replaced for fine-tuning, below the line that moved the model.

## Bad

```python
import torch
from torch import nn
from torchvision.models import resnet18

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = resnet18()
model.to(device)  # related: DEV101
model.fc = nn.Linear(512, 2)  # expect: DEV101
model(torch.ones(1, 3, 224, 224, device=device))
```

## Fixed

```python
import torch
from torch import nn
from torchvision.models import resnet18

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = resnet18()
model.to(device)
model.fc = nn.Linear(512, 2).to(device)
model(torch.ones(1, 3, 224, 224, device=device))
```

## Good

Replace the head first, or move once more.

```python
import torch
from torch import nn
from torchvision.models import resnet18

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = resnet18()
model.fc = nn.Linear(512, 2)
model.to(device)
model(torch.ones(1, 3, 224, 224, device=device))
```

## When it is silent

A later move of the module or of what holds it, a layer that is moved or made on the device itself,
layers without parameters, and modules that nothing in view uses afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Attach, Fix, Problem, Rule, Use, followed, move_of, spelled, succeeded


class SubmoduleAfterMove(Rule[Use]):
    code = "DEV101"
    name = "submodule-after-move"
    summary = "a submodule or parameter is assigned after its module was moved"
    severity = "error"
    watches = Use
    precedence = 10

    def check(self, event: Use) -> Iterator[Problem]:
        for attach in event.attaches:
            related = [(attach.move.node, f"the module is {attach.move.text}")]
            if attach.assignment is not None:
                related.append((attach.assignment, "assigned here"))
            yield Problem(
                attach.site,
                f"`{attach.name}` stays on the CPU: it is assigned after its module was moved to "
                f"{attach.where.accelerated.told}, and nothing moves it before the module is used",
                tuple(related),
                later=((event.node, "and used here"),),
                fix=fix(attach),
            )


def fix(attach: Attach) -> Fix | None:
    """The last move again: of what is attached, or, where a call attaches it, of the whole."""
    call = attach.move.node
    move = move_of(call)
    if move is None:
        return None
    if attach.assignment is None:
        if attach.movable is None:
            return None
        return Fix(f"move it too: `{move}`", (followed(attach.movable, move),), "safe")
    whole = spelled(attach.movable)
    if whole is None or not whole.replace(".", "").isidentifier():
        return None
    again = f"{whole}{move}"
    message = f"move the module once more: `{again}`"
    risk = "all of its buffers become other tensors"
    return Fix(message, (succeeded(attach.site, again),), "unsafe", risk)
