"""Code that a loader runs in its worker processes uses an accelerator.

## Why is this bad?

A `DataLoader` with `num_workers` forks a process for each worker. CUDA does not survive a fork:
once the program has used it, the first `.to(device)` of a worker raises *Cannot re-initialize CUDA
in forked subprocess*. Before that, every worker makes a CUDA context of its own.

A loader with `pin_memory=True` pins every batch, and only tensors on the CPU can be pinned:
*cannot pin 'torch.cuda.FloatTensor'*.

## Bad

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Squares(Dataset):
    def __getitem__(self, index):
        return torch.tensor([index**2.0]).to(device)  # expect: DEV602

    def __len__(self):
        return 100


model = nn.Linear(1, 1).to(device)  # related: DEV602
loader = DataLoader(Squares(), num_workers=2)  # related: DEV602
for batch in loader:
    model(batch)
```

## Good

Let the workers make tensors on the CPU, and move the batch in the loop.

```python
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Squares(Dataset):
    def __getitem__(self, index):
        return torch.tensor([index**2.0])

    def __len__(self):
        return 100


model = nn.Linear(1, 1).to(device)
loader = DataLoader(Squares(), num_workers=2, pin_memory=True)
for batch in loader:
    model(batch.to(device, non_blocking=True))
```

## When it is silent

A loader without workers that pins nothing, or whose number of workers is not known; workers that
start afresh (`multiprocessing_context="spawn"`, `set_start_method("spawn")`), which may use CUDA;
what a sampler does, which runs in the program itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Problem, Rule, WorkerUse


class AcceleratorInWorker(Rule[WorkerUse]):
    code = "DEV602"
    name = "accelerator-in-worker"
    summary = "code that a loader runs in its workers uses an accelerator"
    severity = "error"
    watches = WorkerUse
    is_silent = True

    def check(self, event: WorkerUse) -> Iterator[Problem]:
        related = [(event.loader, "the loader that runs it")]
        if event.is_pinned:
            consequence = "the loader pins what it gives, and only tensors on the CPU can be pinned"
        elif event.parent is not None:
            consequence = (
                "it raises there, since the processes are forked from one that has used CUDA before"
            )
            related.insert(0, (event.parent.node, event.parent.text))
        else:
            consequence = (
                "each makes a CUDA context of its own, and raises if the program has used CUDA "
                "before the fork"
            )
        where = "for each batch" if event.is_pinned else "in the worker processes of the loader"
        is_certain = event.is_pinned or event.parent is not None
        yield Problem(
            event.node,
            f"`{event.operation}` uses {event.device.told} in `{event.entry}`, which runs {where}: "
            f"{consequence}",
            tuple(related),
            severity="error" if is_certain else "warning",
        )
