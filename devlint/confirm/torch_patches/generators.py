"""Generators that claim a device, and the device that a draw needs them on."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from weakref import ref

import torch

from devlint.confirm.device_tags.carried import PHASE
from devlint.confirm.device_tags.device_event import EventOperand
from devlint.confirm.device_tags.provenance import Birth, birth
from devlint.confirm.device_tags.record import Record
from devlint.confirm.device_tags.tag import CPU
from devlint.confirm.torch_patches.session import Emulation

_Real = torch.Generator
#: C++ wraps generators anew before a dispatch mode sees them, so claims go by address. What has
#: one is kept, for else another generator could get its address.
_claimed: dict[int, tuple[Any, Any]] = {}
#: Where the program has made generators, by their addresses, as long as they live.
_births: dict[int, tuple[ref[Any], Birth]] = {}
_STATE = 16


class _IsAGenerator(type(_Real)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _Real)


class EmulatedGenerator(torch.Generator, metaclass=_IsAGenerator):  # type: ignore[misc]
    """A generator of the CPU that says it is one of CUDA, down to the size of its state.

    CUDA keeps a seed and an offset of 8 bytes each; a checkpoint with the CPU's state could not
    be loaded on a real device. The offset stays 0.
    """

    def __new__(cls, device: Any) -> Any:
        made = super().__new__(cls)
        _claimed[made._cdata] = device, made
        return made

    def __init__(self, device: Any) -> None:
        super().__init__()

    @property
    def device(self) -> Any:
        return _claimed[self._cdata][0]

    def get_state(self) -> Any:
        seed = self.initial_seed().to_bytes(_STATE // 2, "little")
        return torch.tensor([*seed, *bytes(_STATE // 2)], dtype=torch.uint8)

    def set_state(self, state: Any) -> Any:
        if device_type(state) != "cpu" or state.numel() != _STATE:
            raise RuntimeError("RNG state must be a torch.ByteTensor")
        self.manual_seed(int.from_bytes(state.tolist()[: _STATE // 2], "little"))
        return self

    def clone_state(self) -> Any:
        return _born(EmulatedGenerator(self.device)).set_state(self.get_state())

    def __reduce__(self) -> Any:
        return torch.Generator, (str(self.device),), None


class CarriedGenerator(torch.Generator, metaclass=_IsAGenerator):  # type: ignore[misc]
    """A generator of the CPU that is on CUDA during shifted calls, once it was carried there."""

    @property
    def device(self) -> Any:
        return _claimed[self._cdata][0] if PHASE.is_shifted and self._cdata in _claimed else CPU


def carry_generator(generator: Any, device: Any) -> bool:
    """Whether it is on `device` during shifted calls from now on; it stays the object it is."""
    kind = type(generator)  # Any generator is an instance of these.
    if kind is CarriedGenerator:
        _claimed[generator._cdata] = device, generator
    return kind in (CarriedGenerator, EmulatedGenerator)


def device_type(tensor: Any) -> str:
    return str(tensor.device.type)


def device_of_generator(generator: Any) -> Any:
    claimed = _claimed.get(generator._cdata)
    return CPU if claimed is None else claimed[1].device


def check_generator(generator: Any, device: Any, record: Record) -> None:
    """A draw needs its generator on the type of device that it draws on."""
    found = device_of_generator(generator)
    if found.type != device.type:
        record.refuse(
            "generator",
            f"Expected a '{device.type}' device type for generator but found '{found.type}'",
            operands=[EventOperand(str(found), None, _birth_of(generator), ())],
        )


def _birth_of(generator: Any) -> Birth:
    """Where a generator was made, unless it is one that PyTorch has anyway."""
    _, lines = _births.get(generator._cdata, (None, ()))
    return lines


def _born(generator: Any) -> Any:
    address = generator._cdata
    with suppress(TypeError):  # PyTorch 2.10 has no weak references to them.
        _births[address] = ref(generator, lambda _: _births.pop(address, None)), birth()
    return generator


def install(emulation: Emulation) -> None:
    named = emulation.devices.named

    class Generator(torch.Generator, metaclass=_IsAGenerator):  # type: ignore[misc]
        """`torch.Generator` while CUDA is emulated."""

        __module__ = "torch"

        def __new__(cls, device: Any = "cpu") -> Any:
            where = named(device)
            if where.type == "cuda":
                return _born(EmulatedGenerator(where))
            is_carriable = PHASE.is_used and where.type == "cpu"
            return _born(CarriedGenerator() if is_carriable else _Real(where))

    emulation.patches.put_everywhere({_Real: Generator})
    emulation.patches.put(torch, "Generator", Generator)
