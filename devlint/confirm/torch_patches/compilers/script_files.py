"""Files of TorchScript, which C++ writes and reads: what is loaded goes to where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import torch

from devlint.confirm.device_tags.provenance import birth
from devlint.confirm.device_tags.tag import device_of, place
from devlint.confirm.torch_patches.checkpoints import keys
from devlint.confirm.torch_patches.compilers.torch_script import graphs, rewritten
from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    files: dict[Any, list[Any]] = {}
    module = torch.jit.RecursiveScriptModule
    emulation.patches.put(torch.jit, "save", _saving(files, torch.jit.save))
    emulation.patches.put(module, "save", _saving(files, module.save))
    emulation.patches.put(torch.jit, "load", _loading(emulation, files, torch.jit.load))


def _saving(files: dict[Any, list[Any]], save: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(save)
    def saved(m: Any, f: Any, *args: Any, **options: Any) -> None:
        save(m, f, *args, **options)
        places = [device_of(tensor) for tensor in _tensors(m)]
        files.update((key, places) for key in keys(f))

    return saved


def _loading(
    emulation: Emulation, files: dict[Any, list[Any]], load: Callable[..., Any]
) -> Callable[..., Any]:
    @wraps(load)
    def loaded(f: Any, map_location: Any = None, *args: Any, **options: Any) -> Any:
        known = next((files[key] for key in keys(f) if key in files), [])
        made = rewritten(emulation, load(f, "cpu", *args, **options))
        tensors = list(_tensors(made))
        if map_location is not None:
            known = [emulation.devices.named(map_location)] * len(tensors)
        for tensor, device in zip(tensors, known, strict=False):
            place(tensor, device, birth())
        return made

    return loaded


def _tensors(made: Any) -> Iterator[Any]:
    """Parameters, buffers and constants, in an order that files keep."""
    if isinstance(made, torch.jit.ScriptModule):
        yield from (*made.parameters(), *made.buffers())
    for graph in graphs(made):
        for node in graph.findAllNodes("prim::Constant"):
            if node.hasAttribute("value") and node.kindOf("value") == "t":
                yield node.t("value")
