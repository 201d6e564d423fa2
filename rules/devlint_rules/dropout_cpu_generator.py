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

from devlint.api import (
    Fix,
    Like,
    MaskedInput,
    Problem,
    Rule,
    Sample,
    followed,
    ir,
    moved_after,
    spelled,
)


class DropoutCpuGenerator(Rule[Sample | MaskedInput]):
    code = "DEV301"
    name = "dropout-cpu-generator"
    summary = "a layer draws from a CPU generator for an input that may be elsewhere"
    severity = "error"
    watches = (Sample, MaskedInput)
    precedence = 20

    def check(self, event: Sample | MaskedInput) -> Iterator[Problem]:
        draw = event if isinstance(event, Sample) else event.draw
        generator = draw.generator.value
        if draw.layer is None or not generator.device.is_cpu:
            return
        is_like = any(isinstance(atom, Like) for atom in draw.device.atoms)
        if isinstance(event, MaskedInput):
            what = f"on the CPU, and the result meets `{event.partner.name}`"
        elif is_like or generator.device.excludes(draw.device):
            what = f"into a tensor on {draw.device.told}"
        else:
            return
        related = []
        if generator.origin is not None:
            related.append((generator.origin.node, "the generator is made on the CPU here"))
        yield Problem(
            draw.node,
            f"`{draw.layer}` draws from a CPU generator {what}: moving the layer does not move "
            "the generator, so this raises on an accelerator",
            tuple(related),
            later=((event.node, "they meet here"),) if isinstance(event, MaskedInput) else (),
            fix=fix(event),
        )


def fix(event: Sample | MaskedInput) -> Fix | None:
    """Draw where the generator is, then move to the input."""
    draw = event if isinstance(event, Sample) else event.draw
    if not isinstance(draw.node, ir.Call):
        return None
    if isinstance(event, MaskedInput):
        place, change = event.place, followed(draw.node, f".to({event.place})")
    else:
        place, change = spelled(dict(draw.node.keywords).get("device")), moved_after(draw.node)
    if place is None:
        return None
    return Fix(f"draw where the generator is, then move: `.to({place})`", (change,), "safe")
