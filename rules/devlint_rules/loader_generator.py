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

from collections.abc import Iterator

from devlint.api import Fix, Problem, Rule, Shuffle, imported, spelled, with_keyword


class LoaderGenerator(Rule[Shuffle]):
    code = "DEV303"
    name = "loader-generator"
    summary = "a loader shuffles with a generator that is not on the default device"
    severity = "warning"
    watches = Shuffle

    def check(self, event: Shuffle) -> Iterator[Problem]:
        related = [] if event.setter is None else [(event.setter.node, event.setter.text)]
        if event.generator is None:
            if not event.default.is_accelerator:
                return
            where = "the CPU"
        else:
            given = event.generator.value
            if not given.device.excludes(event.default):
                return
            where = given.device.told
            if given.origin is not None:
                related.insert(0, (given.origin.node, f"the generator is on {where}"))
        yield Problem(
            event.node,
            f"`{event.operation}` draws on the default device, {event.default.told}, from a "
            f"generator on {where}: the first draw raises",
            tuple(related),
            fix=generator(event) if event.generator is None else None,
        )


def generator(event: Shuffle) -> Fix | None:
    """It changes the order: another generator, another random stream."""
    device = spelled(event.device)
    if device is None:
        return None
    text = f"torch.Generator(device={device})"
    message = f"give it a generator on the default device: `{text}`"
    changes = with_keyword(event.node, "generator", text), imported(event.node, "torch")
    return Fix(message, changes, "unsafe")
