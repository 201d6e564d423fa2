"""A second name for a buffer, or a copy of a module's state, is used after the module moved.

## Why is this bad?

`Module.to` gives each buffer a new tensor on the device. What else refers to the old one, by
`self.start = self.table` for example, keeps it: on the CPU. Copies of parameters for a moving
average stay behind in the same way. (Parameters keep their identity over a move: an alias of one
is fine.)

## Bad

```python
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("frequencies", 1.0 / torch.arange(1, width))
        self.original = self.frequencies  # expect: DEV104

    def forward(self, positions):
        return positions[:, None] * self.original  # related: DEV104
```

## Good

Register the second tensor as well, or read the buffer where it is needed.

```python
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, width):
        super().__init__()
        frequencies = 1.0 / torch.arange(1, width)
        self.register_buffer("frequencies", frequencies)
        self.register_buffer("original", frequencies.clone())

    def forward(self, positions):
        return positions[:, None] * self.original
```

## When it is silent

Where the alias is of a parameter, has no dimensions, is made on another device than the CPU, is set
anew, registered or moved by another method, or is moved before it meets what moves with the module
or its input, and in classes that override `_apply`; for copies, where they are moved as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from devlint.api import Combine, Problem, Rule, Snapshot
from devlint_rules.stale_alias.analysis import BufferAliases


class StaleAliases(Rule[Combine]):
    code = "DEV104"
    name = "stale-alias"
    summary = "an alias of a buffer, or a copy of a module's state, stays where it was"
    severity = "error"
    watches = Combine
    needs = (BufferAliases,)
    is_silent = True
    precedence = 11

    def check(self, event: Combine) -> Iterator[Problem]:
        for stale, other in permutations(event.operands, 2):
            origin, move = stale.value.origin, other.value.origin
            source = origin.source if origin is not None else None
            if not isinstance(source, Snapshot) or source.copy is None or stale.may_meet(other):
                continue
            if not stale.value.device.is_cpu:
                continue
            later = [(event.node, f"meets `{other.name}` on {other.value.device} here")]
            if move is not None:
                later.insert(0, (move.node, f"`{other.name}` is {move.text}"))
            yield Problem(
                source.copy,
                f"this copy of a module's state stays on the CPU, and `{event.operation}` mixes it "
                f"with what was moved to {other.value.device} since",
                later=tuple(later),
                fault=event.node,
            )
            return
