"""Takes what a call is given to CUDA, for as long as shifted calls run, and brings it back.

A module, and whatever else has a method `to`, is moved by that method, so that what it leaves
behind is left behind; in all other objects every tensor is carried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from devlint.confirm.device_tags.carried import Carried, carry, carrying, is_built
from devlint.confirm.device_tags.tag import CPU, claim_of
from devlint.confirm.shift.reach import Reached, held, parts, reached
from devlint.confirm.torch_patches.generators import carry_generator

_NAMES = ("cpu", "cpu:0")
#: The methods by which a module is moved, where its class does not move it in a way of its own.
_MOVES = (torch.nn.Module.to, torch.nn.Module._apply)


@dataclass(slots=True)
class Load:
    """What was carried for one call, with the arguments that it gets.

    `owner`: what its method is called of. `movable`: what was moved by its own method. `missed`:
    what could not be carried, in words. `is_moved`: no module refused to be moved.
    """

    device: Any
    owner: Any = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    movable: list[Any] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    tensors: int = 0
    is_moved: bool = True
    _named: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)

    def state(self) -> Iterator[Any]:
        """The tensors that what was moved holds, whether or not its move took them along."""
        for each in (*self.movable, self.owner):
            yield from held(each).tensors

    def bring_back(self) -> None:
        """Devices that objects have by name; tensors are on the CPU again without further work."""
        for attributes, before in self._named:
            for name, device in [*attributes.items()]:
                if type(device) is type(self.device) and device == self.device:
                    attributes[name] = before.get(name, CPU)

    def take(self, values: Sequence[Any], *, owner: Any = None) -> None:
        """Carry what the values hold; of `owner`, whose method is called, as a user would.

        What the constructor of an owner that has no method `to` made on the CPU stays there.
        """
        found = reached(values)
        own = reached([owner]) if owner is not None else Reached()
        for tensor in found.tensors:
            self._carry(tensor)
        for tensor in own.tensors:
            if not is_built(claim_of(tensor)):
                self._carry(tensor)
        for each in (*own.movable, *found.movable):
            self._move(each)
        for each in (*own.objects, *found.objects):
            self._rename(each)
        self._take_generators((*own.generators, *found.generators))
        if not (own.is_whole and found.is_whole):
            self.missed.append("an argument that holds too much")

    def _carry(self, tensor: Any) -> None:
        self.tensors += 1
        carry(tensor, self.device)

    def _move(self, value: Any) -> None:
        """By its own method; what that makes a new object of is carried as a whole."""
        is_module = isinstance(value, torch.nn.Module)
        if _is_to_be_moved(value):
            with carrying() as tensors:
                result = _moved(value, self.device)
            self.tensors += len(tensors)
            if result is not value and not is_module:
                self.take([*parts(value)])
                return
            self.is_moved &= result is not None
        self.movable.append(value)
        for each in value.modules() if is_module else [value]:
            self._rename(each)

    def _take_generators(self, generators: Sequence[Any]) -> None:
        for each in generators:
            if not carry_generator(each, self.device):
                self.missed.append("a generator that was not made by torch.Generator")

    def _rename(self, value: Any) -> None:
        """What it was told for the CPU, a user would have told it for CUDA."""
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict):
            before = {name: each for name, each in attributes.items() if names_cpu(each)}
            attributes.update(dict.fromkeys(before, self.device))
            self._named.append((attributes, before))


def load(device: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Load:
    """Carry what a method of `owner`, or a function, is given."""
    carried = Load(device, owner=owner)
    carried.take([args, kwargs], owner=owner)
    carried.args = tuple(device if names_cpu(each) else each for each in args)
    carried.kwargs = {name: device if names_cpu(each) else each for name, each in kwargs.items()}
    return carried


def names_cpu(value: Any) -> bool:
    """Whether it is the CPU, or a string that means it."""
    if type(value) is str:
        return value in _NAMES
    return type(value) is type(CPU) and value.type == CPU.type


def _moved(value: Any, device: Any) -> Any:
    """What `value.to(device)` gives; nothing where that is no move to a device."""
    try:
        return value.to(device)
    except Exception:
        return None


def _is_to_be_moved(value: Any) -> bool:
    """Whether it holds anything that was not carried by an earlier move; users move once."""
    if isinstance(value, torch.nn.Module) and not _moves_itself(value):
        tensors = [*value.parameters(), *value.buffers()]
    else:
        tensors = held(value).tensors
    return not all(isinstance(claim_of(each), Carried) for each in tensors)


def _moves_itself(module: Any) -> bool:
    """Whether there may be more to its move than its parameters and buffers."""
    kinds = {type(each) for each in module.modules()}
    return any((kind.to, kind._apply) != _MOVES for kind in kinds)
