"""A tensor is made on the CPU and meets what is wherever the caller put it.

## Why is this bad?

A factory without `device=` makes its tensor on the CPU. In a `forward`, a loss or a helper it then
meets an argument, a parameter or a buffer, which are wherever the user moved them. On the CPU
nobody notices; on an accelerator the line raises *Expected all tensors to be on the same device*.
So does what a call brings that leaves `device` to a default, the CPU; a layer, or any other module,
that a function makes and calls with its argument; a module's part that is called with nothing but
what was made on the CPU; a method that puts what it has made on the CPU in the place of a buffer,
as a `reset` does; an override that gives what it has made on the CPU, where others place what they
give; and a `__deepcopy__` that builds the module anew gives a copy on the CPU. What an object keeps
where its model is, such as averages of the parameters, meets them on the CPU once a method has
loaded it there, or `load_state_dict` has put it back as it was loaded. Items may be
assigned from any device (`x[i] = y`): what a module fills like that and returns is on the CPU
still, and what is done with it next raises.

## Bad

```python
import torch
from torch import nn

class Attention(nn.Module):
    def forward(self, x):
        scores = x @ x.transpose(1, 2)
        mask = torch.ones(x.shape[1], x.shape[1]).tril()  # expect: DEV203
        return scores * mask  # related: DEV203
```

## Fixed

```python
import torch
from torch import nn

class Attention(nn.Module):
    def forward(self, x):
        scores = x @ x.transpose(1, 2)
        mask = torch.ones(x.shape[1], x.shape[1], device=x.device).tril()
        return scores * mask
```

## Good

Ask for the device of what it will meet; a 0-dimensional CPU tensor may meet any.

```python
import torch
from torch import nn

class Attention(nn.Module):
    def forward(self, x):
        scores = x @ x.transpose(1, 2)
        mask = torch.ones(x.shape[1], x.shape[1], device=x.device).tril()
        return scores * mask * torch.tensor(0.5)
```

## When it is silent

Where the tensor is moved before it meets anything, is 0-dimensional, or only an index; where a
default device or `with torch.device(..)` places it; in data sets, transforms, collate functions and
initialisation, which run on the CPU; and where the other operand may be a plain number. Outside of
modules the confidence is low where what code is given is mostly on the CPU: items of records, as
loaders and data sets give them, the arguments of what the same file calls, and all of a file that
knows nothing of devices. A run over a whole project sees more: what data sets alone use is silent,
and of low confidence what nobody uses, or only files that put nothing on an accelerator, and what
functions make that the project alone calls: what it calls them with is followed; and what modules
meet of their arguments in files that say nothing of devices, unless what comes to them puts
something on an accelerator. Buffers that are made anew are told of where a method uses them as they
are.
"""

from __future__ import annotations

from devlint.api import Problem, Rule
from devlint_rules.tensor_without_device.analysis import UnplacedTensors
from devlint_rules.tensor_without_device.collectives import Collectives
from devlint_rules.tensor_without_device.filled_tensors import FilledTensors
from devlint_rules.tensor_without_device.fresh_modules import FreshModules
from devlint_rules.tensor_without_device.held_modules import HeldModules
from devlint_rules.tensor_without_device.lazy_modules import LazyModules
from devlint_rules.tensor_without_device.module_copies import ModuleCopies
from devlint_rules.tensor_without_device.replaced_attributes import ReplacedAttributes
from devlint_rules.tensor_without_device.replaced_buffers import ReplacedBuffers
from devlint_rules.tensor_without_device.unlike_overrides import UnlikeOverrides


class TensorWithoutDevice(Rule[Problem]):
    code = "DEV203"
    name = "tensor-without-device"
    summary = "a tensor made on the CPU meets an argument, parameter or buffer"
    severity = "warning"
    needs = (
        UnplacedTensors,
        FreshModules,
        HeldModules,
        LazyModules,
        Collectives,
        FilledTensors,
        ModuleCopies,
        ReplacedBuffers,
        ReplacedAttributes,
        UnlikeOverrides,
    )
    precedence = 50
