"""Functions of `torch` for methods of tensors, and the other way round."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .places import placed
from .program import Program
from .proofs import Tensors
from .sites import is_value
from .syntax import call, constant_names, dotted, own_imports

#: What exists both ways, with the same arguments.
BOTH = frozenset(
    "abs add all allclose amax amin any argmax argmin argsort bmm chunk clamp clone cos cosh "
    "count_nonzero cumsum detach diag div dot eq equal erf exp flatten floor gather ge gt "
    "index_select isfinite isnan le lerp log log_softmax logical_and logical_not logical_or lt "
    "masked_fill masked_select matmul max mean min mm mul mv narrow ne neg norm numel outer pow "
    "prod reciprocal relu round rsqrt scatter scatter_add sigmoid sign sin softmax sort split "
    "sqrt square squeeze std sub sum t tanh topk transpose tril triu unbind unsqueeze var".split()
)
OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.MatMult: "matmul",
    ast.Pow: "pow",
}


def torch_function(program: Program) -> ast.Module | None:
    """`torch.add(x, y)` for `x.add(y)` and `x + y` of tensors; `x.f()` for what is a function."""
    tree = program.tree()
    if "torch" not in own_imports(tree):
        return None
    turned = Turned(program, tree)
    turned.visit(tree)
    return tree if turned.is_changed else None


class Turned(ast.NodeTransformer):
    """What is proved is proved of the tree as it was."""

    def __init__(self, program: Program, tree: ast.Module) -> None:
        self.program = program
        self.constants = constant_names(tree)
        self.tensors = Tensors(tree)
        self.is_changed = False

    def visit(self, node: ast.AST) -> ast.AST:
        kind = self.kind(node) if self.program.is_telling(node) else None
        self.generic_visit(node)
        if kind is None:
            return node
        self.is_changed = True
        assert isinstance(node, ast.expr)
        return placed(kind(node), node.lineno)

    def kind(self, node: ast.AST) -> Callable[[Any], ast.expr] | None:
        """What makes the other form of an expression, once its parts have theirs."""
        if isinstance(node, ast.BinOp):
            is_proved = type(node.op) in OPERATORS and self.tensors.is_tensor(node)
            return of_operator if is_proved else None
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        if node.func.attr not in BOTH or any(each.arg == "out" for each in node.keywords):
            return None
        if ast.unparse(node.func.value) == "torch":
            return method if node.args and is_value(node.args[0], self.constants) else None
        return function if self.tensors.is_tensor(node.func.value) else None


def of_operator(node: ast.BinOp) -> ast.Call:
    return call(dotted(f"torch.{OPERATORS[type(node.op)]}"), node.left, node.right)


def method(node: ast.Call) -> ast.Call:
    assert isinstance(node.func, ast.Attribute)
    receiver, *rest = node.args
    return ast.Call(ast.Attribute(receiver, node.func.attr, ast.Load()), rest, node.keywords)


def function(node: ast.Call) -> ast.Call:
    assert isinstance(node.func, ast.Attribute)
    given = [node.func.value, *node.args]
    return ast.Call(dotted(f"torch.{node.func.attr}"), given, node.keywords)
