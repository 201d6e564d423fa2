"""A random draw takes its generator from one device and makes its result on another.

## Why is this bad?

A generator belongs to a device. `torch.randn(.., generator=g, device="cuda")` with a CPU generator
raises *Expected a 'cuda' device type for generator but found 'cpu'*, and so do `multinomial`,
`bernoulli`, `randperm` and the in-place methods. `torch.manual_seed` returns the CPU's generator.

## Bad

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator().manual_seed(0)  # related: DEV302
noise = torch.randn(4, generator=generator, device=device)  # expect: DEV302
```

## Fixed

Draw where the generator is, and move what was drawn: the numbers stay the same.

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator().manual_seed(0)
noise = torch.randn(4, generator=generator).to(device)
```

## Good

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator(device=device).manual_seed(0)
noise = torch.randn(4, generator=generator, device=device)
```

## When it is silent

Draws on the CPU that are moved afterwards, samplers and `random_split` (which want a CPU
generator), and generators or results whose device is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Fix, Like, Problem, RandomDraws, Rule, Sample, ir, moved_after, spelled


class GeneratorDevice(Rule[Sample]):
    code = "DEV302"
    name = "generator-device"
    summary = "a random draw and its generator are on different devices"
    severity = "error"
    watches = Sample
    needs = (RandomDraws,)
    precedence = 30

    def check(self, event: Sample) -> Iterator[Problem]:
        generator = event.generator.value
        is_asked = any(isinstance(a, Like) and a.is_asked for a in event.device.atoms)
        if not (generator.device.excludes(event.device) or (generator.device.is_cpu and is_asked)):
            return
        related = []
        if generator.origin is not None:
            related.append((generator.origin.node, f"the generator is on {generator.device.told}"))
        if event.origin is not None and event.origin.node is not event.node:
            related.append((event.origin.node, f"the result is on {event.device.told}"))
        yield Problem(
            event.node,
            f"`{event.operation}` draws on {event.device.told} from a generator on "
            f"{generator.device.told}: on an accelerator this raises",
            tuple(related),
            fix=fix(event),
        )


def fix(draw: Sample) -> Fix | None:
    """Draw where the generator is, then move."""
    if not isinstance(draw.node, ir.Call) or not draw.generator.value.device.is_cpu:
        return None
    device = spelled(dict(draw.node.keywords).get("device"))
    if device is None:
        return None
    message = f"draw where the generator is, then move: `.to({device})`"
    return Fix(message, (moved_after(draw.node),), "safe")
