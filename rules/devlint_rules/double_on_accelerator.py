"""float64 data of NumPy is moved to an accelerator.

## Why is this bad?

NumPy computes in float64, and `torch.from_numpy` and `torch.tensor` keep it. The copy takes twice
the memory and the time, most accelerators compute float64 many times slower than float32, and
some (MPS) refuse it. Beside a float32 model the line after raises for the mixed types.

## Bad

```python
import numpy as np
import torch

noise = np.random.randn(64, 100)  # related: DEV803
z = torch.from_numpy(noise).to("cuda")  # expect: DEV803
```

## Good

```python
import numpy as np
import torch

noise = np.random.randn(64, 100)
z = torch.from_numpy(noise).float().to("cuda")
```

## When it is silent

Where a dtype is given on the way, and for arrays whose type is not known: what is read from a file
or computed from other arrays.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import DoubleTransfer, Problem, Rule, StepCosts


class DoubleOnAccelerator(Rule[DoubleTransfer]):
    code = "DEV803"
    name = "double-on-accelerator"
    summary = "float64 data of NumPy is moved to an accelerator"
    severity = "perf"
    watches = DoubleTransfer
    needs = (StepCosts,)
    is_opt_in = True
    is_silent = True

    def check(self, event: DoubleTransfer) -> Iterator[Problem]:
        yield Problem(
            event.node,
            "float64 data of NumPy goes to an accelerator, where float64 is slow or missing: "
            "make it float32 first",
            ((event.array, "NumPy makes float64 here"),),
        )
