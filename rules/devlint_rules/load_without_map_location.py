"""A checkpoint is loaded to wherever it was saved from.

## Why is this bad?

`torch.load` puts each tensor back on the device it was saved from. On a machine without CUDA a
checkpoint from a GPU fails to load at all; on one with several, it lands on the GPU of whoever
saved it. A `.to(device)` afterwards comes too late. Where what comes of it is out of view, another
load of the same class or function shows that it matters. What is published mostly was on the CPU:
a file from an address is shown on request.

## Bad

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2)
model.load_state_dict(torch.load("model.pt"))  # expect: DEV402
model.to(device)
```

## Fixed

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2)
model.load_state_dict(torch.load("model.pt", map_location=device))
model.to(device)
```

## Good

What a module copies may come from the CPU, wherever the module is.

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2)
model.load_state_dict(torch.load("model.pt", map_location="cpu"))
model.to(device)
```

## When it is silent

Where nothing in view makes a model or a move of what was loaded, where the same run wrote the file
or trained before, where another way loads the same file with `map_location`, where a test has found
an accelerator, and in programs that choose no device: they run on the CPU, or on a fixed
accelerator, alone. Where a whole project is
looked at, and puts things on accelerators that it names in many places, which no test guards, the
confidence is low.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Checkpoints, Fix, Load, Presumption, Problem, Rule, ir, with_keyword

#: The path that an object writes and reads (`self.path`) is its own, in whatever order.
ATTRIBUTE = "Attribute("


class LoadWithoutMapLocation(Rule[Checkpoints]):
    code = "DEV402"
    name = "load-without-map-location"
    summary = "a checkpoint is loaded to the device it was saved from"
    severity = "warning"
    watches = Checkpoints
    is_silent = True
    precedence = 80

    def check(self, event: Checkpoints) -> Iterator[Problem]:
        mapped = {load.path for load in event.loads if load.maps and load.path is not None}
        own = {s.path.text for s in event.saves if s.path and s.path.text.startswith(ATTRIBUTE)}
        for load in event.loads:
            if load.maps or load.is_reload or load.is_equipped or load.path in mapped:
                continue
            if load.use is None:
                yield from unlike_others(load, event)
                continue
            if load.path is not None and load.path.text in own:
                continue
            if not event.chooses_device and (event.names_accelerator or load.into.is_cpu):
                continue
            used = (load.use, "what was loaded is used here")
            yield problem(load, "and fails where that device is missing", used, event)


def unlike_others(load: Load, event: Checkpoints) -> Iterator[Problem]:
    """What is loaded leaves the view: whether it should be mapped, its like in the same class or
    function tells."""
    for other in event.loads:
        is_near = load.scope is not None and other.scope is load.scope
        if other.maps and is_near:
            told = (other.node, "another one says where to load")
            yield problem(load, "which others of its kind do not rely on", told, event)
            return


def problem(load: Load, why: str, related: tuple[ir.Node, str], event: Checkpoints) -> Problem:
    message = (
        f"`{load.operation}` without `map_location` puts tensors where they were saved from, {why}"
    )
    published = (Presumption.PUBLISHED,) if load.is_published else ()
    presumes = (*published, *((Presumption.PORTABLE,) if event.is_bound else ()))
    return Problem(load.node, message, later=(related,), fix=fix(load), presumes=presumes)


def fix(load: Load) -> Fix | None:
    """Map to the device of the program; what a module copies may as well come from the CPU."""
    is_copied = (
        isinstance(load.use, ir.Call)
        and isinstance(load.use.func, ir.Attribute)
        and load.use.func.name == "load_state_dict"
    )
    device = load.device or ('"cpu"' if is_copied else None)
    if device is None or not load.can_map or not isinstance(load.node, ir.Call):
        return None
    change = with_keyword(load.node, "map_location", device)
    return Fix(f"say where to load it: `map_location={device}`", (change,), "safe")
