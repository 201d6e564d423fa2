"""A `torch.device` is compared with a string.

## Why is this bad?

A device equals devices and nothing else: `x.device == "cuda"` is false wherever `x` is, and nobody
complains. The branch never runs, or always.

## Bad

```python
import torch


def amount(x: torch.Tensor):
    if x.device == "cuda":  # expect: DEV703
        return torch.cuda.memory_allocated()
    return 0
```

## Good

```python
import torch


def amount(x: torch.Tensor):
    if x.device.type == "cuda":
        return torch.cuda.memory_allocated()
    return 0
```

## When it is silent

The rule is opt-in: `--extend-select DEV703`. Settings such as `args.device` and `self.device`,
which may be strings; `x.device.type` and `str(x.device)`, which are.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import DeviceText, Problem, Rule


class DeviceComparedWithString(Rule[DeviceText]):
    code = "DEV703"
    name = "device-compared-with-string"
    summary = "a `torch.device` is compared with a string, and never equal to it"
    severity = "warning"
    watches = DeviceText
    is_opt_in = True
    is_silent = True

    def check(self, event: DeviceText) -> Iterator[Problem]:
        kind = event.text.partition(":")[0]
        yield Problem(
            event.node,
            f"`{event.device}` is a `torch.device`, which equals no string: compare "
            f'`{event.device}.type` with `"{kind}"`',
        )
