"""A batch stays on the CPU while the model it is given to was moved.

## Why is this bad?

`model.to(device)` moves the parameters. What a loader, a tokenizer or a transform gives is on the
CPU, and PyTorch does not take it along: on the first machine with an accelerator the call raises
`RuntimeError: Expected all tensors to be on the same device`. The same goes for the target, which
meets the model's output in the loss.

So does a module that tokenizes or loads a batch itself, and gives its parts that as it is: the
parts move with the module, the batch does not.

## Bad

```python
import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(datasets.MNIST("data", transform=transforms.ToTensor()), batch_size=64)
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)).to(device)  # related: DEV202
for images, labels in loader:  # related: DEV202
    images = images.to(device)
    loss = nn.functional.cross_entropy(model(images), labels)  # expect: DEV202
```

## Fixed

```python
import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(datasets.MNIST("data", transform=transforms.ToTensor()), batch_size=64)
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)).to(device)
for images, labels in loader:
    labels = labels.to(device)
    images = images.to(device)
    loss = nn.functional.cross_entropy(model(images), labels)
```

## Good

```python
import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(datasets.MNIST("data", transform=transforms.ToTensor()), batch_size=64)
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)).to(device)
for images, labels in loader:
    images, labels = images.to(device), labels.to(device)
    loss = nn.functional.cross_entropy(model(images), labels)
```

## When it is silent

Batches that a helper, the data set, a transform or `collate_fn` moves, or that come from a loader
that Accelerate or Fabric prepares, or from where nobody in view can tell; models that
`DataParallel` or `device_map` place, or a Trainer of Lightning, which take their inputs along;
models out of view that are given more than one thing, of which they may move some themselves,
unless the program moves that for them elsewhere; a model that is still on the CPU; a 0-dim tensor,
which may meet others wherever they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Batch,
    Combine,
    Feed,
    Fix,
    InconsistentInputs,
    Operand,
    Origin,
    Presumption,
    Problem,
    Rule,
    Safety,
    ir,
    looped,
    move_of,
    origins,
    root,
)
from devlint_rules.input_not_moved.analysis import OneSidedMoves
from devlint_rules.input_not_moved.own_batches import OwnBatches
from devlint_rules.input_not_moved.own_devices import OwnDeviceInputs


class InputNotMoved(Rule[Feed | Combine]):
    code = "DEV202"
    name = "input-not-moved"
    summary = "a batch stays on the CPU while the model was moved"
    severity = "error"
    watches = (Feed, Combine)
    needs = (InconsistentInputs, OneSidedMoves, OwnBatches, OwnDeviceInputs)
    precedence = 46

    def check(self, event: Feed | Combine) -> Iterator[Problem]:
        if isinstance(event, Feed):
            for each in event.inputs:
                if is_left(each, event.module) and not each.value.is_scalar:
                    yield problem(event, each, event.module, is_given=True)
                    return
            return
        for each in event.operands:
            partner = next((o for o in event.operands if is_left(each, o)), None)
            if partner is not None and isinstance(each.value.source, Batch):
                yield problem(event, each, partner, is_given=False)
                return


def is_left(operand: Operand, partner: Operand) -> bool:
    """Whether an operand is on the CPU and the partner is not."""
    is_away = partner.value.device.may_accelerate and not operand.may_meet(partner)
    return operand.value.device.is_cpu and is_away


def problem(event: Feed | Combine, left: Operand, partner: Operand, *, is_given: bool) -> Problem:
    """It stands on the value, on the call that brings it there, or on that of the model in view."""
    where = partner.value.device.accelerated.told
    what = f"`{partner.name}`, which is on {where}" if partner.is_legible else f"what is on {where}"
    later = []
    call = None if left.is_global else left.handed_in(event.path) or event.call
    if call is None:
        verb = "is given to" if is_given else "meets"
        message = f"{told(left)} is on the CPU and {verb} {what}"
    else:
        later.append((event.node, f"{told(left)} and {told(partner)} meet here"))
        inner = "the model" if call is event.call else "what is called"
        message = f"what is given here is on the CPU, and in {inner} it meets {what}"
    is_presumed = isinstance(event, Feed) and event.presumed
    consequence = "on an accelerator this raises"
    if is_presumed:
        consequence += f", unless `{partner.name}` moves its input itself"
    return Problem(
        call or left.node,
        f"{message}: {consequence}",
        origins(shown(event, partner, left), told),
        later=tuple(later),
        severity="warning" if is_presumed else None,
        presumes=(Presumption.PLAIN_MODEL,) if is_presumed else (),
        fault=event.node,
        is_at_call=call is not None,
        fix=fix(left, partner, argument(event.call) or left.node),
    )


def shown(event: Feed | Combine, partner: Operand, left: Operand) -> list[Operand]:
    """What the finding tells the origins of."""
    precedent = event.precedent if isinstance(event, Feed) else None
    return [partner, left] if precedent in (None, partner) else [partner, left, precedent]


def fix(left: Operand, partner: Operand, use: ir.Expression) -> Fix | None:
    """Move what a loop gives at the head of its body; the parts of a tuple are tensors there."""
    given, name = left.value.origin, root(use)
    move = move_at(given, partner.value.origin)
    if given is None or name is None or move is None or is_fixed(given, use):
        return None
    text = f"{name}{move}"
    safety: Safety = "safe"
    risk = ""
    if isinstance(given.node, ir.Name) and given.node.id == name:
        is_dict = isinstance(use, ir.Subscript) and is_word(use.index)
        text = f"{{key: value{move} for key, value in {name}.items()}}" if is_dict else text
        safety, risk = "unsafe", "the batch may hold what cannot be moved"
    change = looped(given.node, f"{name} = {text}", use)
    return Fix(f"move it where the loop begins: `{name} = {text}`", (change,), safety, risk)


def is_fixed(given: Origin, use: ir.Expression) -> bool:
    """Whether the loop gives an object that has nothing to move it with."""
    source = given.source
    is_part = isinstance(use, ir.Attribute) and isinstance(given.node, ir.Name)
    return is_part and isinstance(source, Batch) and not source.is_movable


def argument(call: ir.Node | None) -> ir.Expression | None:
    """The only argument of a call."""
    if isinstance(call, ir.Call) and len(call.args) == 1 and not call.keywords:
        return call.args[0]
    return None


def move_at(given: Origin | None, moved: Origin | None) -> str | None:
    """The move of the model as it can be written where a batch is given."""
    if given is None or not isinstance(given.source, Batch):
        return None
    move = None if moved is None else move_of(moved.node)
    if moved is not None and move is not None and (moved.path == given.path or move == ".cuda()"):
        return move
    return given.source.device and f".to({given.source.device})"


def is_word(index: ir.Expression) -> bool:
    return isinstance(index, ir.Constant) and isinstance(index.value, str)


def told(operand: Operand) -> str:
    return operand.told("an input")
