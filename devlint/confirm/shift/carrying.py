"""Takes what a call is given to CUDA, for as long as shifted calls run, and brings it back.

A module, and whatever else has a method `to`, is moved by that method, so that what it leaves
behind is left behind; in all other objects every tensor is carried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import torch

from devlint.confirm.device_tags.carried import (
    Carried,
    carry,
    is_built,
    is_carried,
    leave,
    noted_moves,
)
from devlint.confirm.device_tags.device_event import events_of
from devlint.confirm.device_tags.tag import CPU, claim_of, holder
from devlint.confirm.shift.reach import Reached, held, parts, reached
from devlint.confirm.torch_patches.generators import carry_generator

#: A list or a dict, an index or a key, and the tensor there.
Place = tuple[Any, Any, torch.Tensor]
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
    is_moved: bool = True
    _seen: dict[int, Any] = field(default_factory=dict)
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

    def take_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Carry what a method of the owner, or a function, is given."""
        self.take([args, kwargs], owner=self.owner)
        self.args = tuple(self.device if names_cpu(each) else each for each in args)
        named = kwargs.items()
        self.kwargs = {name: self.device if names_cpu(each) else each for name, each in named}

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
        carry(tensor, self.device)

    def _move(self, value: Any) -> None:
        """By its own method, once; what that makes a new object of is carried as a whole."""
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        modules = [*value.modules()] if isinstance(value, torch.nn.Module) else []
        moves_itself = not all(map(_is_plain, modules or [value]))
        found = held(value) if moves_itself else Reached()
        has_new = _is_to_be_moved(found)
        if not all(map(is_carried, _registered(modules))):
            _part_from_aliases(value, modules)
        for tensor in _registered(modules):
            self._carry(tensor)
        if has_new:
            places = list(_places(found))
            with noted_moves() as moves:
                result = _moved(value, self.device)
            if result is not value and not modules:
                self.take([*parts(value)])
                return
            self.is_moved &= result is not None
            self._put_back(places, moves)
            self._leave(value)
        self.movable.append(value)
        for each in modules or [value]:
            self._rename(each)

    def _put_back(self, places: list[Place], moves: list[tuple[Any, Any]]) -> None:
        """The tensors themselves, where their copies stand in their stead; not if some place still
        has the tensor, which was not moved then."""
        copied = {id(copy): tensor for tensor, copy in moves}
        now = [(*each, _at(*each[:2])) for each in places]
        left = {id(tensor) for _, _, tensor, there in now if there is tensor}
        for container, place, tensor, there in now:
            if copied.get(id(there)) is tensor and id(tensor) not in left:
                container[place] = tensor
                self._carry(tensor)

    def _leave(self, value: Any) -> None:
        for tensor in held(value).tensors:
            if not is_carried(tensor):
                leave(tensor)

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


def names_cpu(value: Any) -> bool:
    """Whether it is the CPU, or a string that means it."""
    if type(value) is str:
        return value in _NAMES
    return type(value) is type(CPU) and value.type == CPU.type


def _moved(value: Any, device: Any) -> Any:
    """What `value.to(device)` gives; nothing where that is no move to a device.

    Raises what CUDA refuses in it.
    """
    try:
        return value.to(device)
    except Exception as error:
        if events_of(error):
            raise
        return None


def _is_to_be_moved(found: Reached) -> bool:
    """Whether there is what no earlier move has taken or left: users move once."""
    claims = map(claim_of, found.tensors)
    return not all(claim and (isinstance(claim, Carried) or claim.is_left) for claim in claims)


def _registered(modules: Sequence[Any]) -> Iterator[Any]:
    """Their parameters and buffers."""
    for module in modules:
        for each in (*module._parameters.values(), *module._buffers.values()):
            if each is not None:
                yield each


def _part_from_aliases(value: Any, modules: Sequence[Any]) -> None:
    """A move gives parameters and buffers memory of their own, and buffers are new tensors: what
    shares their memory without being registered is left behind."""
    found = held(value)
    registered = {id(each) for each in _registered(modules)}
    others = [each for each in found.tensors if id(each) not in registered]
    others += [each for each in found.repeated if not isinstance(each, torch.nn.Parameter)]
    shared = {id(holder(each)) for each in others}
    for module in modules:
        for name, tensor in [*module._buffers.items()]:
            if _is_in(shared, tensor):
                module._buffers[name] = tensor.detach().clone()
        for tensor in module._parameters.values():
            if _is_in(shared, tensor):
                tensor.data = tensor.data.clone()


def _is_in(shared: set[int], tensor: Any) -> bool:
    return tensor is not None and not is_carried(tensor) and id(holder(tensor)) in shared


def _at(container: Any, place: Any) -> Any:
    """What is there, if anything still is."""
    with suppress(KeyError, IndexError):
        return container[place]


def _places(found: Reached) -> Iterator[Place]:
    """Where tensors are."""
    for container in found.containers:
        for place, each in (
            container.items() if isinstance(container, dict) else enumerate(container)
        ):
            if isinstance(each, torch.Tensor):
                yield container, place, each


def _is_plain(value: Any) -> bool:
    """Whether its move is one of its own parameters and buffers, and of nothing else."""
    kind: Any = type(value)
    return isinstance(value, torch.nn.Module) and (kind.to, kind._apply) == _MOVES
