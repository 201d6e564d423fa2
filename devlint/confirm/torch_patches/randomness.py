"""The state of CUDA's random numbers; draws themselves take the CPU's."""

from __future__ import annotations

from typing import Any

import torch

from devlint.confirm.torch_patches.generators import EmulatedGenerator, device_type
from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    devices = emulation.devices
    generators = tuple(EmulatedGenerator(devices.named(index)) for index in range(devices.count))

    def manual_seed_all(seed: int) -> None:
        for generator in generators:
            generator.manual_seed(int(seed))

    def get_rng_state(device: Any = None) -> Any:
        return generators[devices.index(device)].get_state()

    def set_rng_state(new_state: Any, device: Any = None) -> None:
        generators[devices.index(device)].set_state(new_state)

    def set_rng_state_all(new_states: Any) -> None:
        for index, state in enumerate(new_states):
            set_rng_state(state, index)

    of_cpu = torch.set_rng_state

    def set_state_of_cpu(new_state: Any) -> None:
        if device_type(new_state) != "cpu":
            raise TypeError("RNG state must be a torch.ByteTensor")
        of_cpu(new_state)

    functions = {
        "default_generators": generators,
        "manual_seed": lambda seed: generators[devices.current].manual_seed(int(seed)) and None,
        "manual_seed_all": manual_seed_all,
        "seed": lambda: generators[devices.current].seed() and None,
        "seed_all": lambda: manual_seed_all(generators[0].seed()),
        "initial_seed": lambda: generators[devices.current].initial_seed(),
        "get_rng_state": get_rng_state,
        "get_rng_state_all": lambda: [generator.get_state() for generator in generators],
        "set_rng_state": set_rng_state,
        "set_rng_state_all": set_rng_state_all,
    }
    emulation.patches.put_all(torch.cuda, functions)
    emulation.patches.put_all(torch.cuda.random, functions)
    for module in (torch, torch.random):
        emulation.patches.put_all(module, {"set_rng_state": set_state_of_cpu})
