"""Something is put on another device than the one that was chosen for it.

## Why is this bad?

A caller says where to compute: by an argument `device`, by where an input is, by moving a module. A
function that looks elsewhere for its device works as long as both happen to be the same, on one
accelerator or on none, and raises for the first caller who has two, or has none.

## Bad

```python
import torch


class Sampler:
    def __init__(self, scale):
        self.scale = scale
        self.device = torch.device("cpu")

    def sample(self, image, device):  # related: DEV704
        image = image.to(device)
        scale = torch.tensor(self.scale).to(self.device)  # expect: DEV704
        return image * scale
```

## Good

```python
import torch


class Sampler:
    def __init__(self, scale):
        self.scale = scale

    def sample(self, image, device):
        image = image.to(device)
        scale = torch.tensor(self.scale).to(device)
        return image * scale
```

## When it is silent

A method that compares its argument with something, assigns it or hands it on to nobody; the use of
a device in the branch that has made sure of it; a default that is an accelerator in a program that
names accelerators elsewhere. DEV701 and DEV702 are for those who want more.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import IgnoredChoice, Neglect, Problem, Rule

#: What is wrong, and what the place of the choice is.
WORDS = {
    Neglect.ARGUMENT: (
        "`{operation}` uses `{used}`, but the method is given `{chosen}` and puts other tensors "
        "there: they meet as soon as a caller asks for another device",
        "the device that the caller chooses",
    ),
    Neglect.FALLBACK: (
        "`{operation}` uses `{used}`, which may not be there: the program falls back to the CPU in "
        "`{chosen}`",
        "here the program makes sure that the device is available",
    ),
    Neglect.DEFAULT: (
        "`{operation}` is not told a device and takes its default, {used}, wherever `{chosen}` is",
        "the default",
    ),
    Neglect.ROUND_TRIP: (
        "`{used}` goes to the current accelerator, which need not be the one that `{chosen}` came "
        "from: the index is lost on the way over the CPU",
        "it leaves its device here",
    ),
    Neglect.CACHED: (
        "`{operation}` moves the module back to `{used}`, which it keeps since it was made: where "
        "its user has moved it is forgotten",
        "the device is kept here",
    ),
}


class ChosenDeviceIgnored(Rule[IgnoredChoice]):
    code = "DEV704"
    name = "chosen-device-ignored"
    summary = "something is put on another device than the one that was chosen for it"
    severity = "warning"
    watches = IgnoredChoice
    is_silent = True
    precedence = 45

    def check(self, event: IgnoredChoice) -> Iterator[Problem]:
        message, place = WORDS[event.how]
        yield Problem(
            event.node,
            message.format(operation=event.operation, used=event.used, chosen=event.chosen),
            ((event.because, place),),
        )
