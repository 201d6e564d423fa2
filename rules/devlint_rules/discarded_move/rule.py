"""A tensor is moved by a statement that keeps nothing of it.

## Why is this bad?

`module.to(device)` moves a module in place, `tensor.to(device)` does not: it returns a new tensor
and leaves the old one where it was. As a statement it does nothing, and what reads the tensor
afterwards finds it on the old device: *Expected all tensors to be on the same device*, or a slow
copy in every step.

## Bad

```python
import torch

images = torch.rand(8, 3, 32, 32)  # related: DEV204
images.to("cuda")  # expect: DEV204
print(images.mean())  # related: DEV204
```

A move to where the tensor is itself (`x.type_as(x)`) does nothing either: another one was meant.
Nor does `for x in tensors: x = x.to("cuda")`, where the name is bound anew in the next round.

## Fixed

```python
import torch

images = torch.rand(8, 3, 32, 32)
images = images.to("cuda")
print(images.mean())
```

## Good

Move it where it is made.

```python
import torch

images = torch.rand(8, 3, 32, 32, device="cuda")
print(images.mean())
```

## When it is silent

What moves in place: modules, losses, metrics, the batches of transformers and torch_geometric,
objects of classes in view, and all that is not known to be a tensor: by where it comes from, by a
test of its type, or because the program computes with it as it does with tensors. A tensor that
nothing reads afterwards, by whatever name (the first move of a program that only wakes the
accelerator up), one that is only moved again or asked for its shape, `.to(dtype)`, and moves that a
test expects to fail.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.discarded_move.analysis import DiscardedMoves
from devlint_rules.discarded_move.moves_to_itself import MovesToItself


class DiscardedMoveOfTensor(Rule[Problem]):
    code = "DEV204"
    name = "discarded-move"
    summary = "a tensor is moved by a statement that keeps nothing of it"
    severity = "warning"
    needs = (DiscardedMoves, MovesToItself)
    precedence = 13
