"""A checkpoint is saved from an accelerator.

## Why is this bad?

A file written from CUDA tensors remembers that they were on CUDA. Whoever loads it on a machine
without CUDA, and does not think of `map_location`, gets *Attempting to deserialize object on a CUDA
device*. Saved from the CPU, it loads everywhere.

Saving a whole module bakes in its class and path as well, and `weights_only=True`, the default
since PyTorch 2.6, refuses to load it.

## Bad

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)  # related: DEV401
torch.save(model.state_dict(), "model.pt")  # expect: DEV401
```

## Fixed

A copy on the CPU. A state dict may hold more than tensors: have a look at what yours holds.

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
torch.save({k: v.cpu() for k, v in model.state_dict().items()}, "model.pt")
```

## Good

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
torch.save(model.cpu().state_dict(), "model.pt")
```

## When it is silent

Where what is saved was moved to the CPU, where its device is not known, where the file is gone
when the program ends (in memory, of `tempfile`, below pytest's `tmp_path`), and where the program
itself loads what may be the file with `map_location`. Where the whole project is looked at, and
nobody in it loads the file as it was saved, but in the same run, or it names the accelerator rather
than choose a device, here or in many places, which no test guards, the confidence is low. It speaks
once per file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devlint.api import (
    Checkpoints,
    Fix,
    Load,
    Presumption,
    Problem,
    Rule,
    Save,
    may_be_one_file,
    replaced,
    spelled,
)

COPY = "{{k: v.cpu() for k, v in {}.items()}}"


class SaveOnAccelerator(Rule[Checkpoints]):
    code = "DEV401"
    name = "save-on-accelerator"
    summary = "a checkpoint is saved from an accelerator"
    severity = "warning"
    watches = Checkpoints
    is_silent = True
    precedence = 70

    def check(self, event: Checkpoints) -> Iterator[Problem]:
        mapped = [load for load in event.loads if load.maps]
        risky = [
            save
            for save in event.saves
            if save.device.is_accelerator
            and not any(may_be_one_file(save.path, load.path) for load in mapped)
        ]
        if not risky:
            return
        first, *others = risky
        origin = first.origin
        yield Problem(
            first.node,
            message(first),
            () if origin is None else ((origin.node, origin.text),),
            later=tuple((save.node, "and here") for save in others),
            fix=fix(risky),
            presumes=presumed(event, first),
        )


def presumed(event: Checkpoints, save: Save) -> tuple[Presumption, ...]:
    """What nobody in the project loads, but in the run that saves it, others may. A project that
    names an accelerator, rather than choose a device, is for machines that have it, and so may be
    all that loads what it saves."""
    if not event.are_read and not any(is_read_later(load, save) for load in event.loads):
        return (Presumption.OTHER_READERS,)
    is_bound = event.is_bound or (save.device.is_named and event.is_of_project)
    return (Presumption.PORTABLE,) if is_bound else ()


def is_read_later(load: Load, save: Save) -> bool:
    """Whether the program loads what may be the file as it was saved, in another run, or by a
    function of its own, which others may call."""
    is_of_run = load.is_reload and (load.path, load.scope) == (save.path, save.scope)
    return not load.maps and not is_of_run and may_be_one_file(save.path, load.path)


def fix(saves: Sequence[Save]) -> Fix | None:
    """Copies on the CPU, in all saves at once: they are one finding."""
    states = [(state, spelled(state)) for save in saves for state in save.states]
    if not all(save.states for save in saves) or not all(text for _, text in states):
        return None
    changes = tuple(replaced(state, COPY.format(text)) for state, text in states)
    risk = "the file holds a plain dict, without the version numbers of modules"
    return Fix("save a copy on the CPU: `v.cpu()` of every tensor", changes, "unsafe", risk)


def message(save: Save) -> str:
    if save.is_whole_module:
        return (
            f"`{save.operation}` writes a whole module from {save.device.told}: loading needs its "
            "class, its path and that device, and `weights_only=True` refuses it"
        )
    return (
        f"`{save.operation}` writes tensors from {save.device.told}: without `map_location` the "
        "file does not load on a machine that lacks it"
    )
