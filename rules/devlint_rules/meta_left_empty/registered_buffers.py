"""The buffers that the classes of a module register, read from their methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from devlint.api import ClassInfo, Kind, Run, Value, ir, module_state, path, walk

#: What makes a tensor that is written to before it is read.
BLANK = frozenset("zeros empty zeros_like empty_like new_zeros new_empty".split())


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """A buffer that a class registers."""

    node: ir.Node
    name: str
    is_persistent: bool


def registered(run: Run, module: Value, *, is_hidden: bool) -> Iterator[Buffer]:
    """The buffers that are made once and only read afterwards; `is_hidden`: of these the ones
    that no state dict has."""
    seen: set[ClassInfo] = set()
    for part in module_state.parts(run, replace(module, kind=Kind.MODULE), set()):
        type_ = run.instance(part.ref).type
        if isinstance(type_, ClassInfo) and type_ not in seen:
            seen.add(type_)
            for buffer in of_class(type_):
                if not (is_hidden and buffer.is_persistent):
                    yield buffer


def of_class(owner: ClassInfo) -> Iterator[Buffer]:
    for method in owner.definitions:
        if "register_buffer" in method.words:
            calls = (node for node in walk(method) if isinstance(node, ir.Call))
            for call in calls:
                if path(call) == ["self", "register_buffer"]:
                    yield from of_call(owner, method, call)


def of_call(owner: ClassInfo, method: ir.Def, call: ir.Call) -> Iterator[Buffer]:
    name = constant(argument(call, 0, "name"))
    tensor = argument(call, 1, "tensor")
    if isinstance(name, str) and tensor is not None and has_content(method, tensor):
        others = [each for each in owner.definitions if each is not method]
        is_written = any(name in each.stores for each in others)
        if not is_written and any(name in each.words for each in others):
            yield Buffer(call, name, constant(argument(call, 2, "persistent")) is not False)


def argument(call: ir.Call, index: int, name: str) -> ir.Expression | None:
    named = next((value for key, value in call.keywords if key == name), None)
    return call.args[index] if named is None and index < len(call.args) else named


def constant(node: ir.Expression | None) -> object:
    return node.value if isinstance(node, ir.Constant) else None


def has_content(method: ir.Def, tensor: ir.Expression) -> bool:
    """Whether a tensor is more than a place to write to."""
    if isinstance(tensor, ir.Name):
        return any(parameter.name == tensor.id for parameter in method.params) or any(
            gives_content(node, tensor.id) for node in walk(method) if isinstance(node, ir.Assign)
        )
    return not isinstance(tensor, ir.Constant) and BLANK.isdisjoint(path(tensor))


def gives_content(node: ir.Assign, name: str) -> bool:
    """Whether an assignment binds the name to more than a blank tensor, or writes into it."""
    for target in node.targets:
        if isinstance(target, ir.Name) and target.id == name:
            return not isinstance(node.value, ir.Constant) and BLANK.isdisjoint(path(node.value))
        whole = target.value if isinstance(target, ir.Subscript) else None
        if isinstance(whole, ir.Name) and whole.id == name:
            return True
    return False
