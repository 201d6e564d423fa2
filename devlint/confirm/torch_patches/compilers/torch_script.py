"""TorchScript: PyTorch's own interpreter runs PyTorch's own graphs, above the dispatch mode.

It has moves that ask for the library of CUDA before any operator runs. They become the one that a
trace has, `aten::to` with all arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import torch
from torch.jit import _builtins

from devlint.confirm.device_tags.device_event import DeviceError
from devlint.confirm.torch_patches.session import Emulation

_MOVES = {"aten::to.prim_Device", "aten::to.device", "aten::cuda", "aten::cpu"}
#: To where another tensor is, and to its dtype.
_FOLLOWS = {"aten::to.other", "aten::type_as"}


def install(emulation: Emulation) -> None:
    script = torch.jit.script

    @wraps(script)
    def scripted(obj: Any, *args: Any, **options: Any) -> Any:
        return rewritten(emulation, script(obj, *args, **options))

    emulation.patches.put(torch.jit, "script", scripted)
    emulation.patches.put(_builtins, "_find_builtin", _unwrapping(_builtins._find_builtin))
    for kind in (torch._C.ScriptFunction, torch._C.ScriptMethod):
        emulation.patches.put(kind, "__call__", _telling(emulation, kind.__call__))
    emulation.patches.put(torch.jit, "optimize_for_inference", _frozen)


def _unwrapping(find: Callable[..., Any]) -> Callable[..., Any]:
    """TorchScript knows operators by the functions that are replaced."""

    @wraps(find)
    def found(function: Any) -> Any:
        return find(function) or find(getattr(function, "__wrapped__", function))

    return found


def _telling(emulation: Emulation, call: Callable[..., Any]) -> Callable[..., Any]:
    """The interpreter tells where an exception of Python comes from, but not its words."""
    record = emulation.record

    @wraps(call)
    def told(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return call(self, *args, **kwargs)
        except RuntimeError as error:
            if isinstance(error, DeviceError) or record.last is None or not _is_silent(error):
                raise
            raised = DeviceError(f"{str(error).rstrip()} {record.last.message}")
            raised.event = record.last
            raise raised from None

    return told


def _is_silent(error: RuntimeError) -> bool:
    return str(error).rstrip().endswith("RuntimeError:")


def _frozen(mod: Any, *args: Any, **options: Any) -> Any:
    """What is done for CUDA; for the CPU there would be layouts that no claim fits."""
    return torch.jit.freeze(mod.eval()) if hasattr(mod, "training") else mod


def rewritten(emulation: Emulation, made: Any) -> Any:
    for graph in graphs(made):
        for kind in {each.partition(".")[0] for each in _MOVES | _FOLLOWS}:
            for node in graph.findAllNodes(kind):
                _rewrite(emulation, graph, node)
        for device in graph.findAllNodes("prim::device"):
            for use in device.output().uses():
                _make_beside(graph, use.user, use.offset, device.input())
    return made


def graphs(made: Any) -> Iterator[Any]:
    """Those of a function, or of all methods of a module and what is in it, and what they call."""
    if isinstance(made, torch.jit.ScriptModule):
        for module in made.modules():
            methods = module._c
            yield from (methods._get_method(each).graph for each in methods._method_names())
    elif isinstance(made, torch.jit.ScriptFunction):
        yield made.graph
    yield from (function.graph for function in torch.jit._state._python_cu.get_functions())


def _rewrite(emulation: Emulation, graph: Any, node: Any) -> None:
    """A copy, which reaches the dispatch mode also where C++ finds the tensor in place."""
    name = node.schema().partition("(")[0]
    if name not in _MOVES | _FOLLOWS:
        return
    with graph.insert_point_guard(node):  # The compiler may be in the middle of it.
        moved = _following(graph, node) if name in _FOLLOWS else _moved(emulation, graph, node)
    node.output().replaceAllUsesWith(moved)
    node.destroy()


def _make_beside(graph: Any, node: Any, place: int, other: Any) -> None:
    """What a factory makes on the device of another tensor is made anywhere, and copied there."""
    if not node.kind().startswith("aten::") or str(node.output().type()) != "Tensor":
        return
    with graph.insert_point_guard(node):
        inputs = [*node.inputs()]
        inputs[place] = graph.insertConstant(None)
        moved = _beside(graph, _inserted(graph, node.kind(), *inputs), other)
    node.output().replaceAllUsesWith(moved)
    node.destroy()


def _moved(emulation: Emulation, graph: Any, node: Any) -> Any:
    tensor, *given = node.inputs()
    none, false, true = map(graph.insertConstant, (None, False, True))
    has_dtype = len(given) > 1 and str(given[1].type()) != "NoneType"
    if given and given[0].node().kind() == "prim::device":
        return _beside(graph, tensor, given[0].node().input(), given[1] if has_dtype else None)
    if has_dtype:
        tensor = _to(graph, tensor, given[1], false, false, none)
    device, is_known = _device(emulation, graph, node)
    pinned = false if is_known else none
    return _to(graph, tensor, none, none, device, pinned, false, true, none)


def _following(graph: Any, node: Any) -> Any:
    tensor, other, *_ = node.inputs()
    return _beside(graph, tensor, other, _dtype(graph, other))


def _beside(graph: Any, tensor: Any, other: Any, dtype: Any = None) -> Any:
    """A copy to where another tensor is, which C++ takes for the CPU."""
    none, false = graph.insertConstant(None), graph.insertConstant(False)
    size = _inserted(graph, "aten::size", tensor)
    size.setType(torch._C.ListType(torch._C.IntType.get()))
    dtype = _dtype(graph, tensor) if dtype is None else dtype
    empty = _inserted(graph, "aten::new_empty", other, size, dtype, none, none, none)
    return _inserted(graph, "aten::copy_", empty, tensor, false)


def _dtype(graph: Any, tensor: Any) -> Any:
    dtype = _inserted(graph, "prim::dtype", tensor)
    dtype.setType(torch._C.IntType.get())
    return dtype


def _to(graph: Any, *inputs: Any) -> Any:
    return _inserted(graph, "aten::to", *inputs)


def _inserted(graph: Any, kind: str, *inputs: Any) -> Any:
    return graph.insertNode(graph.create(kind, list(inputs), 1)).output()


def _device(emulation: Emulation, graph: Any, node: Any) -> tuple[Any, bool]:
    """The device, and whether it stands in the program; another is the CPU of a tensor in C++."""
    if node.kind() != "aten::to":
        name = node.kind().rpartition("::")[2]
    else:
        given = node.inputsAt(1)
        if given.node().kind() != "prim::Constant":
            return given, False
        name = given.node().s("value")
    return graph.insertConstant(emulation.devices.named(name)), True
