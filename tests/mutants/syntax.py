"""What the operators ask of LibCST nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

import libcst as cst

DTYPES = ("float", "double", "half", "bfloat", "long", "int", "bool", "uint", "complex", "dtype")


def nodes_below(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """From the first to the last."""
    for child in node.children:
        yield child
        yield from nodes_below(child)


def code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def called(node: cst.CSTNode) -> str:
    """The last name of what a call calls; empty for all that is no call."""
    if isinstance(node, cst.Call):
        if isinstance(node.func, cst.Attribute):
            return node.func.attr.value
        if isinstance(node.func, cst.Name):
            return node.func.value
    return ""


def is_method_call(node: cst.CSTNode, *names: str) -> TypeGuard[cst.Call]:
    return called(node) in names and isinstance(node, cst.Call) and receiver(node) is not None


def receiver(node: cst.Call) -> cst.BaseExpression | None:
    return node.func.value if isinstance(node.func, cst.Attribute) else None


def is_move(node: cst.CSTNode) -> TypeGuard[cst.Call]:
    """`x.to(device)` or `x.cuda()`, but not `x.to(dtype)`."""
    if is_method_call(node, "cuda"):
        return code(node.func) != "torch.cuda"
    return is_method_call(node, "to") and any(map(is_device, node.args))


def is_device(argument: cst.Arg) -> bool:
    if argument.keyword:
        return argument.keyword.value == "device"
    last = code(argument.value).rpartition(".")[2].strip("\"'")
    return not last.startswith(DTYPES) and last not in ("True", "False")


def unmoved(call: cst.Call) -> cst.BaseExpression:
    """A move without its device; a dtype stays."""
    kept = [each for each in call.args if not is_device(each) and keyword(each) != "non_blocking"]
    source = receiver(call)
    assert source is not None
    return with_arguments(call, kept) if kept else source


def keyword(argument: cst.Arg) -> str:
    return argument.keyword.value if argument.keyword else ""


def argument(call: cst.Call, name: str) -> cst.Arg | None:
    return next((each for each in call.args if keyword(each) == name), None)


def without(call: cst.Call, *names: str) -> cst.Call:
    return with_arguments(call, [each for each in call.args if keyword(each) not in names])


def with_arguments(call: cst.Call, arguments: Sequence[cst.Arg]) -> cst.Call:
    """The last argument loses its comma."""
    kept = list(arguments)
    if kept:
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return call.with_changes(args=kept)


def statement(text: str) -> cst.SimpleStatementLine:
    parsed = cst.parse_statement(text)
    assert isinstance(parsed, cst.SimpleStatementLine)
    return parsed


def only(line: cst.CSTNode) -> cst.BaseSmallStatement | None:
    """The one small statement of a line."""
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        return line.body[0]
    return None


def value_of(line: cst.CSTNode) -> cst.BaseExpression | None:
    """What a line assigns or evaluates."""
    small = only(line)
    return small.value if isinstance(small, (cst.Expr, cst.Assign)) else None


def target_of(line: cst.CSTNode) -> str:
    """What a line assigns to, written out."""
    small = only(line)
    return code(small.targets[0].target) if isinstance(small, cst.Assign) else ""


def moved_name(line: cst.CSTNode) -> str:
    """The name that is on an accelerator after `x.to(d)`, `x = x.to(d)` or `x = X().to(d)`."""
    value = value_of(line)
    if value is None or not is_move(value):
        return ""
    source = receiver(value)
    return target_of(line) or (code(source) if source else "")


def bodies(node: cst.CSTNode) -> Iterator[Sequence[cst.CSTNode]]:
    if isinstance(node, (cst.Module, cst.IndentedBlock)):
        yield node.body


def reordered(
    node: cst.CSTNode, body: Sequence[cst.CSTNode], first: int, second: int
) -> cst.CSTNode:
    """A block whose statement `first` comes right after its statement `second`."""
    lines = list(body)
    lines.insert(second, lines.pop(first))
    return node.with_changes(body=lines)
