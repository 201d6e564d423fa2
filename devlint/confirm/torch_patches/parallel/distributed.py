"""Processes that communicate: Gloo stands in for NCCL, which takes nothing that is on the CPU."""

from __future__ import annotations

import atexit
import inspect
from collections.abc import Iterable
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import distributed

from devlint.confirm.device_tags.tag import device_of
from devlint.confirm.torch_patches.parallel.lent_tensors import Lent, Pending
from devlint.confirm.torch_patches.patches import owner_of
from devlint.confirm.torch_patches.preconditions import compared
from devlint.confirm.torch_patches.session import Emulation
from devlint.facts.communication import FUNCTIONS

_NCCL, _GLOO, _UNNAMED = "nccl", "gloo", "undefined"
_VERSION = (2, 27, 5)


class Processes:
    """The groups of processes that NCCL is for, with what each says its backend is."""

    def __init__(self, emulation: Emulation) -> None:
        self._emulation = emulation
        self._of_nccl: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self._pending = Pending()

    def install(self) -> None:
        functions = {getattr(*owner_of(name)): fact.signature for name, fact in FUNCTIONS.items()}
        replaced = {each: self._sending(each, names) for each, names in functions.items()}
        for start in (distributed.init_process_group, distributed.new_group):
            replaced[start] = self._starting(start)
        replaced[distributed.destroy_process_group] = self._ending()
        replaced[distributed.get_backend] = self._backend(distributed.get_backend)
        replaced[distributed.is_nccl_available] = lambda: True
        carrier = distributed.distributed_c10d._get_object_coll_device
        replaced[carrier] = self._carrier(carrier)
        patches = self._emulation.patches
        patches.put_everywhere(replaced)
        patches.put_all(torch.cuda.nccl, {"version": lambda: _VERSION})
        verify = distributed._verify_params_across_processes
        patches.put(distributed, "_verify_params_across_processes", self._verifying(verify))

    def _starting(self, start: Any) -> Any:
        """Makes a group; where no backend is named, of CUDA's own, or of the parent's."""
        parameters = inspect.signature(start)
        is_first = start is distributed.init_process_group

        @wraps(start)
        def started(*args: Any, **kwargs: Any) -> Any:
            given = parameters.bind(*args, **kwargs).arguments
            asked = str(given.get("backend") or "").lower()
            is_nccl = asked == _NCCL if asked else is_first or self._is_nccl(None)
            if not asked or _NCCL in asked:
                given["backend"] = _GLOO
                given.pop("device_id", None)
                given.pop("pg_options", None)
            atexit.unregister(self._pending.await_return)  # Once, however many groups there are.
            atexit.register(self._pending.await_return)
            group = start(**given)
            if is_nccl:
                told = _NCCL if asked or not is_first else _UNNAMED
                self._of_nccl[group or distributed.group.WORLD] = told
            return group

        return started

    def _ending(self) -> Any:
        destroy = distributed.destroy_process_group

        @wraps(destroy)
        def ended(*args: Any, **kwargs: Any) -> None:
            self._pending.await_return()
            destroy(*args, **kwargs)

        return ended

    def _is_nccl(self, group: Any) -> bool:
        return distributed.is_initialized() and (group or distributed.group.WORLD) in self._of_nccl

    def _backend(self, original: Any) -> Any:
        @wraps(original)
        def get_backend(group: Any = None) -> Any:
            told = self._of_nccl.get(group or distributed.group.WORLD)
            return told or original(group)

        return get_backend

    def _carrier(self, original: Any) -> Any:
        """Where objects of Python are made tensors, to be sent."""

        def carrier(group: Any = None) -> Any:
            return "cuda" if self._is_nccl(group) else original(group)

        return carrier

    def _sending(self, original: Any, parameters: str) -> Any:
        signature = inspect.signature(original)

        @wraps(original)
        def send(*args: Any, **kwargs: Any) -> Any:
            group = signature.bind(*args, **kwargs).arguments.get("group")
            tensors = [tensor for _, tensor in compared(parameters, args, kwargs)]
            self._check(group, tensors)
            lent = Lent(tensors)
            work = original(*args, **kwargs)
            if work is None:
                lent.await_return()
            else:
                self._pending.add(lent)
            return work

        return send

    def _verifying(self, original: Any) -> Any:
        """What `DistributedDataParallel` sends first."""

        def verify(group: Any, tensors: Any, *args: Any) -> Any:
            self._check(group, tensors)
            return original(group, tensors, *args)

        return verify

    def _check(self, group: Any, tensors: Iterable[Any]) -> None:
        odd = [tensor for tensor in tensors if device_of(tensor).type == "cpu"]
        if odd and self._is_nccl(group):
            message = "No backend type associated with device type cpu"
            self._emulation.record.refuse("communication", message, odd[:1])


def install(emulation: Emulation) -> None:
    if distributed.is_available():
        Processes(emulation).install()
