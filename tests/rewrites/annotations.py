"""Annotations that say what a reader sees anyway."""

from __future__ import annotations

import ast

from tests.laws.definition_order import DEFINITIONS
from tests.laws.renaming import root

from .places import placed
from .program import Program
from .proofs import Tensors, tensor_parameters
from .syntax import defined, dotted, imported, own_imports, own_nodes, shared_names


def annotation(program: Program) -> ast.Module | None:
    """Tensors, instances of classes and functions that return nothing are said to be that."""
    annotated = Annotated(program.tree())
    tree = annotated.visit(annotated.tree)
    assert isinstance(tree, ast.Module)
    return tree if annotated.is_changed else None


class Annotated(ast.NodeTransformer):
    """What is proved is proved of the tree as it was."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.tensors = Tensors(tree)
        self.has_torch = "torch" in own_imports(tree)
        self.classes = imported(tree) | defined(tree.body)
        self.shared = shared_names(tree)
        self.is_changed = False

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Annotations of a class's own variables may be fields."""
        for each in node.body:
            if isinstance(each, DEFINITIONS):
                self.visit(each)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        tensors = set(tensor_parameters(node)) if self.has_torch else set()
        self.generic_visit(node)
        for each in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            if each.arg in tensors and not each.annotation:
                each.annotation = self.said(dotted("torch.Tensor"), node)
        if node.returns is None and returns_nothing(node):
            node.returns = self.said(ast.Constant(None), node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        kind, target = self.kind(node.value), node.targets[0]
        if kind is None or len(node.targets) > 1 or not self.is_annotated(target):
            return node
        assert isinstance(target, (ast.Name, ast.Attribute))
        said, simple = self.said(kind, node), int(isinstance(target, ast.Name))
        made = ast.AnnAssign(target=target, annotation=said, value=node.value, simple=simple)
        return ast.copy_location(made, node)

    def is_annotated(self, target: ast.expr) -> bool:
        """Whether an annotation may stand there: `x: T`, `self.x: T`."""
        if isinstance(target, ast.Name):
            return target.id not in self.shared
        return isinstance(target, ast.Attribute) and root(target) == "self"

    def said(self, kind: ast.expr, node: ast.stmt) -> ast.expr:
        self.is_changed = True
        return placed(kind, node.lineno)

    def kind(self, value: ast.expr) -> ast.expr | None:
        """The class of a value."""
        if self.has_torch and self.tensors.is_tensor(value):
            return dotted("torch.Tensor")
        if isinstance(value, ast.Call) and root(value.func) in self.classes:
            text = ast.unparse(value.func)
            return dotted(text) if is_capital(text) else None
        return None


def is_capital(text: str) -> bool:
    return all(map(str.isidentifier, text.split("."))) and text.rpartition(".")[2][:1].isupper()


def returns_nothing(node: ast.FunctionDef) -> bool:
    parts = list(own_nodes(node))
    given = (each.value for each in parts if isinstance(each, ast.Return))
    return not any(given) and not any(
        isinstance(each, (ast.Yield, ast.YieldFrom)) for each in parts
    )
