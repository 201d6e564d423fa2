"""Operands of one operation live on different devices.

## Why is this bad?

PyTorch never moves an operand for you. The line works while everything is on the CPU and raises
`RuntimeError: Expected all tensors to be on the same device` on the first machine with an
accelerator.

## Bad

```python
import torch
from torch import nn

weights = torch.zeros(3, device="cuda")  # related: DEV201
mask = torch.ones(3)  # related: DEV201
scaled = weights * mask  # expect: DEV201
model = nn.Linear(3, 2)  # related: DEV201
out = model(weights)  # expect: DEV201
```

## Good

Make both on one device; a 0-dimensional CPU tensor may meet any.

```python
import torch

weights = torch.zeros(3, device="cuda")
mask = torch.ones(3, device=weights.device)
scaled = weights * mask * torch.tensor(2.0)
```

Of devices that a program chooses, `cuda:0` and `cuda:1` are apart where there are two, though one
stands for both where there are fewer: the finding says so, and is of medium confidence.

## When it is silent

Where the device of an operand is not known, or is the CPU on some paths only, unless an option
(`if args.flat:`), a round of the loop or a cache without the device in its key leaves there what is
placed otherwise; and where PyTorch allows the mixture: 0-dimensional CPU tensors in pointwise
arithmetic, CPU indices into a tensor on an accelerator, slice assignment, `copy_`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import TypeAlias

from devlint.api import (
    Combine,
    Condition,
    Device,
    Feed,
    InconsistentInputs,
    Operand,
    Presumed,
    Presumption,
    Problem,
    Rule,
    UnplacedModels,
    Value,
    ir,
    last_accelerator,
    origins,
    unless_copied,
    unless_moved,
    walk,
)

#: Where what is found raises.
ALWAYS = Presumed((), "on an accelerator")
SEVERAL = Presumed((Presumption.SEVERAL_ACCELERATORS,), "where there are several accelerators")
#: How tests come out one after the other.
Path: TypeAlias = tuple[tuple[Condition, bool], ...]


class MixedDevices(Rule[Combine | Feed]):
    code = "DEV201"
    name = "mixed-devices"
    summary = "operands of one operation live on different devices"
    severity = "error"
    watches = (Combine, Feed)
    needs = (InconsistentInputs, UnplacedModels)
    precedence = 60

    def check(self, event: Combine | Feed) -> Iterator[Problem]:
        for pair in pairs(event):
            for first, other in (pair, *on_one_path(event, *pair)):
                if not first.may_meet(other) and not any(map(is_assumed, (first, other))):
                    yield problem(event, first, other)
                    return
        parted = ((first, other) for first, other in pairs(event) if first.is_parted_from(other))
        yield from (problem(event, *each, SEVERAL) for each in islice(parted, 1))


def is_assumed(operand: Operand) -> bool:
    """Whether only a test says that what a caller gives is on the CPU: hardly ever with what is
    elsewhere."""
    value = operand.value
    is_given = value.origin is None or isinstance(value.origin.node, ir.Parameter)
    return value.device.is_cpu and is_given and value.source is None


def on_one_path(
    event: Combine | Feed, one: Operand, other: Operand
) -> Iterator[tuple[Operand, Operand]]:
    """Two operands on a path of its own: an argument is left out that one of them otherwise is, or
    an option, the round of a loop, or what an earlier call has kept, leaves on the CPU what is
    placed without it, rather than choosing the device."""
    for each in (one, other):
        for path in paths(event, each):
            yield on_path(one, path), on_path(other, path)


def on_path(operand: Operand, path: Path) -> Operand:
    for test, truth in path:
        operand = operand.given(test, truth)
    return operand


def paths(event: Combine | Feed, operand: Operand, *, is_below: bool = False) -> Iterator[Path]:
    """How tests come out where an operand is left out or on the CPU, be it made for want of one
    of which nothing is known; `is_below`: it is placed otherwise."""
    device = operand.value.device
    test, arms = device.test, device.arms
    if test is None or arms is None:
        return
    for truth in (True, False):
        arm, rest = arms if truth else arms[::-1]
        here, is_placed = operand.given(test, truth), is_below or rest.is_accelerator
        if is_left_out(test, rest) or is_placed_by(test, arm, rest):
            yield ((test, truth),)
        is_made = test.asks_for_want and not rest.is_partly_known
        if device.is_chosen or not (is_made or (is_placed and is_told(event, test, here))):
            continue
        if arm.is_cpu:
            yield ((test, truth),)
        for path in paths(event, here, is_below=True):
            yield ((test, truth), *path)


def is_told(event: Combine | Feed, test: Condition, there: Operand) -> bool:
    """Whether a test may come out so that an operand is as it is `there`, and the program means
    both outcomes to come about."""
    is_meant = test.is_option if test.loop is None else event.node in walk(test.loop)
    if is_meant:
        return True
    origin = there.value.origin
    return origin is not None and any(
        each in (origin.path or ()) or origin.node in walk(each) for each in test.keepers
    )


def is_placed_by(test: Condition, arm: Device, rest: Device) -> bool:
    """Whether an option puts something on an accelerator that is anywhere otherwise."""
    is_anywhere = rest.is_like or not rest.is_partly_known
    return test.is_option and arm.is_accelerator and is_anywhere


def is_left_out(test: Condition, rest: Device) -> bool:
    """Whether a test is of an argument, which is there on the other path."""
    return isinstance(test.subject, Value) and rest.is_like and rest == test.subject.device


def problem(
    event: Combine | Feed, first: Operand, other: Operand, also: Presumed = ALWAYS
) -> Problem:
    """It stands where the devices meet, or on the call that brings there what is out of place."""
    is_presumed = isinstance(event, Feed) and event.presumed
    call = brought(event, first, other)
    presumed = presumption(event, first, other)
    places = told if also is ALWAYS else told_last
    message = f"{clash(event, *map(places, (first, other)))}: {also.clause} this raises"
    message += presumed.clause
    return Problem(
        call or model_call(event) or event.node,
        message if call is None else f"in what is called here, {message}",
        origins((first, other), places),
        later=() if call is None else ((event.node, "they meet here"),),
        severity="warning" if is_presumed else None,
        fault=event.node,
        is_at_call=call is not None,
        presumes=(*also.presumes, *presumed.presumes),
    )


def model_call(event: Combine | Feed) -> ir.Node | None:
    """The call of the model in view in which a module is given what is out of place, unless that
    module is made there anew, whoever calls."""
    if not isinstance(event, Feed) or event.call is None:
        return None
    origin = event.module.value.origin
    is_made_there = origin is not None and event.call in (origin.path or ())
    return None if is_made_there else event.call


def presumption(event: Combine | Feed, first: Operand, other: Operand) -> Presumed:
    if isinstance(event, Feed) and event.presumed:
        return Presumed((Presumption.PLAIN_MODEL,), f", unless `{first.name}` places itself")
    copied = unless_copied(first, other)
    return copied if copied.presumes else unless_moved(first, other)


def brought(event: Combine | Feed, first: Operand, other: Operand) -> ir.Call | None:
    """The call that brings what is out of place, where everything of that is brought by one; of a
    variable of the program, which no call brings, the one that brings what it meets."""
    astray = [each for each in (first, other) if not each.value.device.may_accelerate]
    local = [each for each in astray or (first, other) if not each.is_global]
    calls = {each.handed_in(event.path) for each in local or (first, other) if not each.is_global}
    return calls.pop() if len(calls) == 1 else None


def pairs(event: Combine | Feed) -> Iterator[tuple[Operand, Operand]]:
    """What has to share a device, apart from inputs on the CPU: of those DEV202 tells."""
    if isinstance(event, Combine):
        yield from combinations(event.operands, 2)
    else:
        inputs = (each for each in event.inputs if not each.value.device.is_cpu)
        yield from ((event.module, each) for each in inputs)


def clash(event: Combine | Feed, first: str, other: str) -> str:
    if isinstance(event, Feed):
        return f"{first} is given {other}"
    return f"`{event.operation}` mixes {first} with {other}"


def told(operand: Operand) -> str:
    return f"{operand.told('an operand')} on {operand.value.device.told}"


def told_last(operand: Operand) -> str:
    """Where an operand is with as many accelerators as the program can use."""
    return f"{operand.told('an operand')} on {last_accelerator(operand.value.device)}"
