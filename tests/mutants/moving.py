"""Operators that take a move away or put it in the wrong place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .mutation import Operator
from .syntax import (
    argument,
    bodies,
    called,
    code,
    is_method_call,
    is_move,
    moved_name,
    nodes_below,
    only,
    receiver,
    reordered,
    statement,
    target_of,
    unmoved,
    value_of,
    with_arguments,
)

WEIGHTS = ("weight", "pos_weight")


def unmoved_value(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`x.to(device)` becomes `x`."""
    if is_move(node):
        yield unmoved(node)


def unmoved_statement(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`model.to(device)` goes."""
    if isinstance(small := only(node), cst.Expr) and is_move(small.value):
        yield None


def unmoved_batch(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`x, y = x.to(device), y.to(device)` goes from a loop."""
    if isinstance(node, cst.For):
        for line in node.body.body:
            moves = [is_move(each) for each in moved_together(line)]
            if moves and all(moves):
                rest = [each for each in node.body.body if each is not line]
                yield node.with_deep_changes(node.body, body=rest)


def moved_together(line: cst.CSTNode) -> Iterator[cst.CSTNode]:
    value = value_of(line) if isinstance(only(line), cst.Assign) else None
    if isinstance(value, cst.Tuple):
        yield from (each.value for each in value.elements)
    elif value:
        yield value


def discarded_move(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`x = x.to(device)` becomes `x.to(device)`."""
    value = value_of(node)
    if value and is_move(value) and isinstance(only(node), cst.Assign):
        source = receiver(value)
        if source and code(source) == target_of(node):
            yield statement(code(value))


def unmoved_weight(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """The weight of a loss stays on the CPU."""
    if isinstance(node, cst.Arg) and node.keyword and node.keyword.value in WEIGHTS:
        if is_move(node.value):
            yield node.with_changes(value=unmoved(node.value))
        elif isinstance(node.value, cst.Call) and argument(node.value, "device"):
            kept = [each for each in node.value.args if each is not argument(node.value, "device")]
            yield node.with_changes(value=with_arguments(node.value, kept))


def attached_late(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`model.head = Head()` comes after `model.to(device)`."""
    for body in bodies(node):
        for first, line in enumerate(body):
            for second in range(first + 1, len(body)):
                name = moved_name(body[second])
                if name and attached_to(line).startswith(f"{name}."):
                    yield reordered(node, body, first, second)


def attached_to(line: cst.CSTNode) -> str:
    """What becomes part of a module: `model.head`, `model.layers`; ends with a dot for a method."""
    value = value_of(line)
    if value and is_method_call(value, "add_module", "append", "register_buffer", "setattr"):
        source = receiver(value)
        return f"{code(source)}." if source else ""
    return target_of(line) if isinstance(value, cst.Call) and not is_move(value) else ""


def optimizer_first(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """The state of an optimizer is loaded before its model moves."""
    for body in bodies(node):
        for first, line in enumerate(body):
            for second in range(first + 1, len(body)):
                name = moved_name(line)
                if name and loads_optimizer(body[second]):
                    if isinstance(only(line), cst.Expr):
                        yield reordered(node, body, first, second)
                    else:
                        yield move_after(node, first, second)


def loads_optimizer(line: cst.CSTNode) -> bool:
    value = value_of(line)
    if not value or not is_method_call(value, "load_state_dict"):
        return False
    return "optim" in code(value.func) or code(value.func).startswith("opt.")


def move_after(node: cst.CSTNode, first: int, second: int) -> cst.CSTNode:
    """`model = Net().to(device)` becomes `model = Net()`, and the move follows `second`."""
    lines = list(next(bodies(node)))
    line = lines[first]
    value = value_of(line)
    assert isinstance(value, cst.Call)
    lines[first] = line.deep_replace(value, unmoved(value))
    move = value.with_deep_changes(value.func, value=cst.parse_expression(target_of(line)))
    lines.insert(second + 1, statement(code(move)))
    return node.with_changes(body=lines)


def other_device(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """One `"cuda:0"` becomes `"cuda:1"`, one `"cuda:1"` becomes `"cuda:0"`."""
    if isinstance(node, cst.SimpleString) and node.raw_value in ("cuda:0", "cuda:1"):
        index = 1 - int(node.raw_value[-1])
        yield node.with_changes(value=f'"cuda:{index}"')


def leaf_moved(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """The move comes after what makes a leaf: `zeros(2, requires_grad=True).to(device)`."""
    if not isinstance(node, cst.Call):
        return
    grad, device = argument(node, "requires_grad"), argument(node, "device")
    if grad and device:
        made = with_arguments(node, [each for each in node.args if each is not device])
        yield moved(made, code(device.value))
    if is_method_call(node, "requires_grad_") and (source := receiver(node)) and is_move(source):
        made = node.with_deep_changes(node.func, value=unmoved(source))
        yield moved(made, code(source.args[0].value)) if source.args else made
    if called(node) == "Parameter" and node.args and is_move(value := node.args[0].value):
        made = node.with_deep_changes(node.args[0], value=unmoved(value))
        yield value.with_deep_changes(value.func, value=made)


def moved(value: cst.BaseExpression, device: str) -> cst.BaseExpression:
    return cst.parse_expression(f"{code(value)}.to({device})")


def pinned_late(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`x.pin_memory().to(device)` becomes `x.to(device).pin_memory()`."""
    if is_move(node) and (pinned := receiver(node)) and is_method_call(pinned, "pin_memory"):
        inner = node.with_deep_changes(node.func, value=receiver(pinned))
        yield pinned.with_deep_changes(pinned.func, value=inner)


def moved_in_dataset(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """A dataset returns its first tensor on an accelerator."""
    if isinstance(node, cst.FunctionDef) and node.name.value == "__getitem__":
        for each in nodes_below(node):
            if isinstance(each, cst.Return) and isinstance(each.value, cst.Tuple):
                first = each.value.elements[0].value
                yield node.deep_replace(first, cst.parse_expression(f"{code(first)}.cuda()"))


def lost_context(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """`with torch.device(device):` and `torch.set_default_device(device)` go."""
    if isinstance(node, (cst.Module, cst.IndentedBlock)):
        for at, line in enumerate(node.body):
            if isinstance(line, cst.With) and code(line.items[0].item).startswith("torch.device("):
                inner = list(line.body.body)
                yield node.with_changes(body=[*node.body[:at], *inner, *node.body[at + 1 :]])
    value = value_of(node)
    if value and called(value) in ("set_default_device", "set_default_tensor_type"):
        yield None


OPERATORS = (
    Operator("attached-late", attached_late),
    Operator("optimizer-first", optimizer_first),
    Operator("unmoved-batch", unmoved_batch),
    Operator("discarded-move", discarded_move),
    Operator("unmoved-weight", unmoved_weight),
    Operator("pinned-late", pinned_late),
    Operator("leaf-moved", leaf_moved, is_silent=True),
    Operator("moved-in-dataset", moved_in_dataset, is_silent=True),
    Operator("lost-context", lost_context),
    Operator("other-device", other_device),
    Operator("unmoved-statement", unmoved_statement),
    Operator("unmoved-value", unmoved_value),
)
