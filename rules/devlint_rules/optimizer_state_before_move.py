"""An optimizer's state, or its parameters, stay behind when the model moves.

## Why is this bad?

An optimizer may be built before its model moves: `Module.to` keeps each parameter the same object.
But its *state* (momentum, running averages) is made where the parameters are when the first
`step` runs, or when `optimizer.load_state_dict` casts what it loads to them. No move of a module
takes that along: the next `step` raises *Expected all tensors to be on the same device*.
Adagrad makes its state as soon as it is built.

The usual victim is the training run that is resumed: it works until the first checkpoint is loaded.

Parameters that replace others after the optimizer was built (a new head, `to_empty` from `meta`)
are not in it: nothing raises, and they are never trained. State that is written back into
`optimizer.state` behind `load_state_dict`, to keep its dtype, is back where the file has it.

## Bad

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(torch.load("optimizer.pt", map_location="cpu"))  # expect: DEV403
model.to(device)  # related: DEV403
for x in torch.ones(8, 4, device=device).split(2):
    model(x).sum().backward()
    optimizer.step()  # related: DEV403
```

## Good

Move the model first.

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters())
model.to(device)
optimizer.load_state_dict(torch.load("optimizer.pt", map_location="cpu"))
for x in torch.ones(8, 4, device=device).split(2):
    model(x).sum().backward()
    optimizer.step()
```

## When it is silent

An optimizer that is only built before the move, SGD without momentum, state that the program moves
itself (`optimizer.state`), optimizers handed to code out of view, and models that the program may
have moved before. Of a model that the program was given, it is presumed that what moves it is
called with one on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Presumption, Problem, RawState, Rule, SplitStep, StaleStep


class OptimizerStateBeforeMove(Rule[SplitStep | StaleStep | RawState]):
    code = "DEV403"
    name = "optimizer-state-before-move"
    summary = "an optimizer's state or parameters stay behind when its model moves"
    severity = "error"
    watches = (SplitStep, StaleStep, RawState)
    precedence = 14

    def check(self, event: SplitStep | StaleStep | RawState) -> Iterator[Problem]:
        if isinstance(event, SplitStep):
            yield split(event)
        else:
            yield stale(event) if isinstance(event, StaleStep) else raw(event)


def split(event: SplitStep) -> Problem:
    is_given = event.state.is_like
    place = "where the model was" if is_given else f"on {event.state.told}"
    return Problem(
        event.filled.node,
        f"the optimizer's state, {event.filled.text}, stays {place} when the model is moved to "
        f"{event.device.told}: the next `step` raises",
        later=(
            (event.move.node, f"the model is {event.move.text}"),
            (event.node, "and stepped here"),
        ),
        severity="warning" if is_given else None,
        presumes=(Presumption.UNMOVED_MODEL,) if is_given else (),
    )


def stale(event: StaleStep) -> Problem:
    what = "the model's parameters" if event.name is None else f"the parameters of `{event.name}`"
    return Problem(
        event.made.node,
        f"the optimizer is made before {what} are replaced: it goes on with the old ones, and "
        "the new ones are never trained",
        later=((event.replaced.node, "replaced here"), (event.node, "and stepped here")),
        severity="warning",
        fault=event.replaced.node,
    )


def raw(event: RawState) -> Problem:
    return Problem(
        event.node,
        f"the state of `{event.optimizer}` is written back as the file has it: `load_state_dict` "
        "had put it where the parameters are, and it may not be there any more",
        ((event.load, "loaded here"),),
        severity="warning",
    )
