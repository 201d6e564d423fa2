"""A tensor is made on the CPU and moved at once.

## Why is this bad?

The tensor is filled in the memory of the CPU and then copied, and the CPU waits for the copy. With
`device=` it is made where it is needed.

## Bad

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
positions = torch.arange(512).to(device)  # expect: DEV802
```

## Good

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
positions = torch.arange(512, device=device)
noise = torch.randn(512).to(device)
```

## When it is silent

Random tensors: the CPU and an accelerator draw different numbers from one seed. Tensors made of
data, which has to be copied anyhow, legacy constructors that take no device, and what is changed
between the factory and the move by more than its shape or type.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Factory, Problem, Rule, StepCosts, Transfer, ir

FACTORIES = frozenset("zeros ones full empty arange range linspace logspace eye".split())
#: Methods that may as well follow on the accelerator.
LAYOUT = frozenset(
    "view reshape unsqueeze squeeze expand repeat flatten t transpose permute contiguous "
    "float double half bfloat16 int long bool".split()
)


class CreateThenMove(Rule[Transfer]):
    code = "DEV802"
    name = "create-then-move"
    summary = "a tensor is made on the CPU and moved at once"
    severity = "perf"
    watches = Transfer
    needs = (StepCosts,)
    is_opt_in = True
    is_silent = True

    def check(self, event: Transfer) -> Iterator[Problem]:
        source = event.tensor.value.source
        if not isinstance(source, Factory) or not source.takes_device:
            return
        name = source.name.rpartition(".")[2]
        if name in FACTORIES and made(event.tensor.node) is source.call:
            yield Problem(
                event.node,
                f"`{name}` fills a tensor on the CPU, which is copied at once: it takes `device=`",
            )


def made(node: ir.Expression) -> ir.Expression:
    """What a chain of methods that change a tensor's layout starts with."""
    while (
        isinstance(node, ir.Call)
        and isinstance(node.func, ir.Attribute)
        and node.func.name in LAYOUT
    ):
        node = node.func.value
    return node
