"""A layer draws random numbers for its input from a generator that stays on the CPU.

## Why is this bad?

`Module.to` moves parameters and buffers, not a `torch.Generator` kept as an attribute. A dropout or
noise layer that made its generator on the CPU works there, and on an accelerator raises
*Expected a 'cuda' device type for generator but found 'cpu'*, or multiplies a CPU mask with an
input on CUDA.

## Bad

```python
import torch
from torch import nn

class SeededDropout(nn.Module):
    def __init__(self, p, seed):
        super().__init__()
        self.p = p
        self.generator = torch.Generator().manual_seed(seed)  # related: DEV301

    def forward(self, x):
        keep = torch.rand(x.shape, generator=self.generator, device=x.device)  # expect: DEV301
        return x * (keep > self.p) / (1 - self.p)
```

## Fixed

Draw on the CPU and move what was drawn: the numbers stay the same.

```python
import torch
from torch import nn

class SeededDropout(nn.Module):
    def __init__(self, p, seed):
        super().__init__()
        self.p = p
        self.generator = torch.Generator().manual_seed(seed)

    def forward(self, x):
        keep = torch.rand(x.shape, generator=self.generator).to(x.device)
        return x * (keep > self.p) / (1 - self.p)
```

## Good

Make the generator where the input is.

```python
import torch
from torch import nn

class SeededDropout(nn.Module):
    def __init__(self, p, seed, device):
        super().__init__()
        self.p = p
        self.generator = torch.Generator(device).manual_seed(seed)

    def forward(self, x):
        keep = torch.rand(x.shape, generator=self.generator, device=x.device)
        return x * (keep > self.p) / (1 - self.p)
```

## When it is silent

Where the generator's device is not known, where the layer makes it anew for the device of its
input, and where what was drawn is moved before it meets the input.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Fix, Like, Problem, RandomDraws, Rule, Sample, ir, moved_after, spelled
from devlint_rules.dropout_cpu_generator.analysis import MaskedInputs, is_of_layer, problem


class DropoutCpuGenerator(Rule[Sample]):
    code = "DEV301"
    name = "dropout-cpu-generator"
    summary = "a layer draws from a CPU generator for an input that may be elsewhere"
    severity = "error"
    watches = Sample
    needs = (RandomDraws, MaskedInputs)
    precedence = 20

    def check(self, event: Sample) -> Iterator[Problem]:
        is_like = any(isinstance(atom, Like) for atom in event.device.atoms)
        is_apart = is_like or event.generator.value.device.excludes(event.device)
        if is_of_layer(event) and is_apart:
            yield problem(event, f"into a tensor on {event.device.told}", (), fix(event))


def fix(draw: Sample) -> Fix | None:
    """Draw where the generator is, then move to the device that is asked for."""
    if not isinstance(draw.node, ir.Call):
        return None
    place = spelled(dict(draw.node.keywords).get("device"))
    if place is None:
        return None
    message = f"draw where the generator is, then move: `.to({place})`"
    return Fix(message, (moved_after(draw.node),), "safe")
