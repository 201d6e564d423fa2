"""Proofs that an expression is a tensor, of the kind that a reader sees at once."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.laws.definition_order import FUNCTIONS

from .aliases import bound_by
from .syntax import Function, Scope, every_parameter, own_nodes, scopes, stored

MAKERS = frozenset(
    "arange as_tensor bernoulli cat empty empty_like eye from_numpy full full_like linspace "
    "matmul multinomial ones ones_like rand rand_like randint randn randn_like randperm stack "
    "tensor zeros zeros_like".split()
)
#: Methods of tensors that return tensors, of which neither modules nor arrays have all.
METHODS = frozenset(
    "abs add bool clamp clone contiguous cpu cuda detach exp flatten float half int log long "
    "matmul mean mul neg permute pow relu requires_grad_ reshape sigmoid softmax sqrt squeeze "
    "sub sum t tanh to transpose unsqueeze view".split()
)
#: Methods that nothing but tensors has.
TELLING = frozenset("add_ clamp_ detach mul_ new_ones new_zeros unsqueeze".split())
ANNOTATIONS = ("torch.Tensor", "Tensor")


class Tensors:
    """The variables of a program that hold tensors whenever they hold something."""

    def __init__(self, tree: ast.Module) -> None:
        self.scopes = {node: scope for scope in scopes(tree) for node in own_nodes(scope)}
        self.proved: dict[Scope, set[str]] = {}
        for scope in scopes(tree):
            self.prove(scope)

    def prove(self, scope: Scope) -> None:
        """The parameters first, then what is bound to nothing but tensors."""
        parameters = tensor_parameters(scope) if isinstance(scope, FUNCTIONS) else ()
        self.proved[scope] = set(parameters)
        values, others = bindings(scope)
        for name, given in values.items():
            if name not in others and all(map(self.is_tensor, given)):
                self.proved[scope].add(name)

    def is_tensor(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return node in self.scopes and node.id in self.proved[self.scopes[node]]
        if isinstance(node, ast.BinOp):
            return self.is_operand(node.left) and self.is_operand(node.right) and self.has_one(node)
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return False
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "torch":
            return node.func.attr in MAKERS
        return node.func.attr in METHODS and self.is_tensor(node.func.value)

    def has_one(self, node: ast.BinOp) -> bool:
        return self.is_tensor(node.left) or self.is_tensor(node.right)

    def is_operand(self, node: ast.expr) -> bool:
        """A tensor or a number."""
        is_number = isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
        return is_number or self.is_tensor(node)


def tensor_parameters(function: Function) -> Iterator[str]:
    """By annotation, or because of a method that is called; those that are bound anew are none.

    Nothing is proved by a method where the function asks what it was given.
    """
    anew = set(stored(each for each in own_nodes(function) if not isinstance(each, ast.arg)))
    used = set() if is_asking(function) else called_upon(function)
    for each in every_parameter(function):
        is_annotated = each.annotation and ast.unparse(each.annotation) in ANNOTATIONS
        if each.arg not in anew and (is_annotated or each.arg in used):
            yield each.arg


def is_asking(function: Function) -> bool:
    """Whether it may take one thing or another: by a default, or by a test of a type."""
    names = {each.id for each in ast.walk(function) if isinstance(each, ast.Name)}
    has_defaults = function.args.defaults or any(function.args.kw_defaults)
    return bool(has_defaults) or not names.isdisjoint(("isinstance", "hasattr", "getattr", "type"))


def called_upon(function: Function) -> set[str]:
    """The names on which methods are called that nothing but tensors has."""
    return {
        node.value.id
        for node in own_nodes(function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.attr in TELLING
    }


def bindings(scope: Scope) -> tuple[dict[str, list[ast.expr]], set[str]]:
    """What the variables of a scope are assigned, and those that are bound in other ways too."""
    values, nodes = defaultdict[str, list[ast.expr]](list), list(own_nodes(scope))
    plain = [each for each in nodes if isinstance(each, ast.Assign) and is_simple(each)]
    for each in plain:
        values[next(bound_by(each))].append(each.value)
    targets = {target for each in plain for target in each.targets}
    return values, set(stored(each for each in nodes if each not in targets))


def is_simple(node: ast.Assign) -> bool:
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
