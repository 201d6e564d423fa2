"""TorchScript: PyTorch's own interpreter runs PyTorch's own graphs, above the dispatch mode.

It has moves that ask for the library of CUDA before any operator runs. They become the one that a
trace has, `aten::to` with all arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial, wraps
from itertools import count
from typing import Any

import torch
from torch.jit import _builtins

from devlint.confirm.device_tags.device_event import DeviceError
from devlint.confirm.torch_patches.session import Emulation

_MOVES = {"aten::to.prim_Device", "aten::to.device", "aten::cuda", "aten::cpu"}
#: To where another tensor is, and to its dtype.
_FOLLOWS = {"aten::to.other", "aten::type_as"}
#: By this a script shows a tensor whose device it asks for; see `is_sign`.
SIGN = torch.ops.aten.new_full.default
_numbers = count(1)
#: As TorchScript has it.
_INT64 = 4
#: No one operator makes what these give on the device that they are told.
_IN_PARTS = {"aten::tensor", "aten::as_tensor"}


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


def is_sign(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether `SIGN` is one of ours: nobody else asks for a layout of no elements."""
    return args[1] == [0] and "layout" in kwargs


def rewritten(emulation: Emulation, made: Any) -> Any:
    for graph in graphs(made):
        for node in _nodes(graph, _MOVES):
            _replace(graph, node, partial(_moved, emulation))
        for node in _nodes(graph, _FOLLOWS):
            _replace(graph, node, _following)
        for node in graph.findAllNodes("prim::device"):
            for use in node.output().uses():
                _show(graph, node, use.user, use.offset)
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


def _nodes(graph: Any, names: Set[str]) -> Iterator[Any]:
    """Those of operators, which are named with their overload."""
    for kind in {each.partition(".")[0] for each in names}:
        for node in graph.findAllNodes(kind):
            if node.schema().partition("(")[0] in names:
                yield node


def _replace(graph: Any, node: Any, made: Callable[[Any, Any], Any]) -> None:
    with graph.insert_point_guard(node):  # The compiler may be in the middle of it.
        moved = made(graph, node)
    node.output().replaceAllUsesWith(moved)
    node.destroy()


def _show(graph: Any, device: Any, node: Any, place: int) -> None:
    """Have the dispatch mode see whose device something is made or moved to: a sign of that tensor
    comes right before, and is asked for the device in its place. No two are alike, or the optimizer
    would make one of them."""
    is_shown = device.input().node().kind() == SIGN.name()
    is_made = node.kind().startswith("aten::") and str(node.output().type()) == "Tensor"
    if not is_made or is_shown or node.kind() in _IN_PARTS:
        return
    with graph.insert_point_guard(node):
        none, strided = graph.insertConstant(None), graph.insertConstant(0)
        size, value = graph.insertConstant([0]), graph.insertConstant(next(_numbers))
        given = (size, value, graph.insertConstant(_INT64), strided, none, none)
        sign = _inserted(graph, SIGN.name(), device.input(), *given)
        node.replaceInput(place, _device_of(graph, sign))


def _moved(emulation: Emulation, graph: Any, node: Any) -> Any:
    tensor, *given = node.inputs()
    dtype = given[1] if len(given) > 1 and str(given[1].type()) != "NoneType" else None
    device, is_known = _device(emulation, graph, node)
    return _copied(graph, tensor, dtype, device, is_known=is_known)


def _following(graph: Any, node: Any) -> Any:
    tensor, other, *_ = node.inputs()
    dtype = _inserted(graph, "prim::dtype", other)
    dtype.setType(torch._C.IntType.get())
    return _copied(graph, tensor, dtype, _device_of(graph, other), is_known=False)


def _device_of(graph: Any, tensor: Any) -> Any:
    device = _inserted(graph, "prim::device", tensor)
    device.setType(torch._C.DeviceObjType.get())
    return device


def _copied(graph: Any, tensor: Any, dtype: Any, device: Any, *, is_known: bool) -> Any:
    """A copy, which reaches the dispatch mode also where C++ finds the tensor in place; the dtype
    first, for the mode knows a move by a copy of the same dtype."""
    none, false, true = map(graph.insertConstant, (None, False, True))
    if dtype is not None:
        tensor = _inserted(graph, "aten::to", tensor, dtype, false, false, none)
    pinned = false if is_known else none
    return _inserted(graph, "aten::to", tensor, none, none, device, pinned, false, true, none)


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
