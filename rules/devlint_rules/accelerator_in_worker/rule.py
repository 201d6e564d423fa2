"""Code that a loader runs in its worker processes uses an accelerator.

## Why is this bad?

A `DataLoader` with `num_workers` forks a process for each worker. CUDA does not survive a fork:
once the program has used it, the first `.to(device)` of a worker raises *Cannot re-initialize CUDA
in forked subprocess*. Before that, every worker makes a CUDA context of its own. So it is with a
`Process` that a program hands what is on an accelerator.

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
what a sampler does, which runs in the program itself; processes of a project that sets a start
method anywhere.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.accelerator_in_worker.analysis import WorkerProcesses
from devlint_rules.accelerator_in_worker.forked_processes import ForkedProcesses


class AcceleratorInWorker(Rule[Problem]):
    code = "DEV602"
    name = "accelerator-in-worker"
    summary = "code that a loader runs in its workers uses an accelerator"
    severity = "error"
    needs = (WorkerProcesses, ForkedProcesses)
    is_silent = True
