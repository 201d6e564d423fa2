"""A loader shuffles with a generator that is not on the default device.

## Why is this bad?

A sampler draws its order with `torch.randperm` on the default device, and the generator has to be
there as well. Without `generator=` it makes one on the CPU. After
`torch.set_default_device("cuda")` the first batch raises *Expected a 'cuda' device type for
generator but found 'cpu'*; with a CUDA generator and the usual default device it is the other way
about.

## Bad

```python
import torch
from torch.utils.data import DataLoader

torch.set_default_device("cuda")  # related: DEV303
loader = DataLoader(range(8), shuffle=True)  # expect: DEV303
```

## Fixed

```python
import torch
from torch.utils.data import DataLoader

torch.set_default_device("cuda")
loader = DataLoader(range(8), shuffle=True, generator=torch.Generator(device="cuda"))
```

## Good

Leave the default device alone: move the model and each batch.

```python
import torch
from torch.utils.data import DataLoader, random_split

train, test = random_split(range(8), [6, 2], generator=torch.Generator().manual_seed(0))
loader = DataLoader(train, shuffle=True)
```

## When it is silent

Loaders that do not shuffle, a default device that is not known or that only a `with` sets, and
generators whose device is not known.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.loader_generator.analysis import ShuffleGenerators


class LoaderGenerator(Rule[Problem]):
    code = "DEV303"
    name = "loader-generator"
    summary = "a loader shuffles with a generator that is not on the default device"
    severity = "warning"
    needs = (ShuffleGenerators,)
