"""Calls that say otherwise what they give: by keyword, by `functools.partial`, by `*`."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator

from tests.laws.definition_order import FUNCTIONS
from tests.laws.renaming import root

from .places import placed
from .program import Program
from .syntax import Function, call, constant_names, dotted, parameters, stored, with_import

#: What PyTorch calls the first arguments.
KEYWORDS = {
    "torch.add": "input other",
    "torch.cat": "tensors dim",
    "torch.stack": "tensors dim",
    "torch.matmul": "input other",
    "torch.mul": "input other",
    "torch.where": "condition input other",
    "torch.tensor": "data",
    "torch.as_tensor": "data",
    "torch.zeros_like": "input",
    "torch.ones_like": "input",
    "torch.rand_like": "input",
    "torch.randn_like": "input",
    "torch.load": "f",
    "torch.save": "obj f",
    "nn.Linear": "in_features out_features",
    "nn.Conv2d": "in_channels out_channels kernel_size",
    "nn.Embedding": "num_embeddings embedding_dim",
    "nn.LSTM": "input_size hidden_size",
    "nn.Parameter": "data",
    "nn.CrossEntropyLoss": "weight",
    "F.cross_entropy": "input target",
    "F.linear": "input weight bias",
    "DataLoader": "dataset",
}
#: Calls that mean something by their form.
FORMS = frozenset("super isinstance hasattr getattr reveal_device print range len zip".split())


class Calls(ABC, ast.NodeTransformer):
    """Rewrites calls of what a program defines, and those on telling lines."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree()
        self.own = signatures(self.tree)
        self.constants = constant_names(self.tree)
        self.is_changed = False

    def result(self) -> ast.Module | None:
        self.visit(self.tree)
        return self.tree if self.is_changed else None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Decorators are calls of a form of their own."""
        node.body = [self.visit(each) for each in node.body]
        return node

    def visit_withitem(self, node: ast.withitem) -> ast.AST:
        """Calls after `with` are of such a form, too."""
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_chosen = self.program.is_telling(node) or ast.unparse(node.func) in self.own
        if not is_chosen or not is_plain(node):
            return node
        made = self.rewritten(node)
        self.is_changed |= made is not None
        return placed(ast.copy_location(made, node), node.lineno) if made else node

    @abstractmethod
    def rewritten(self, node: ast.Call) -> ast.Call | None:
        """The call as it is rewritten; None where it stays."""


def is_plain(node: ast.Call) -> bool:
    """Whether it has arguments by position, each for one parameter."""
    is_spread = any(isinstance(each, ast.Starred) for each in node.args)
    return bool(node.args) and not is_spread and root(node.func) not in FORMS


def signatures(tree: ast.Module) -> dict[str, list[str]]:
    """The parameters of functions, classes and methods, by what calls of them look like.

    Those of which a name may mean something else are left out.
    """
    found = [*in_module(tree)]
    bound = Counter(stored(ast.walk(tree))) + Counter(key for key, _ in found if "." in key)
    return {key: words(each) for key, each in found if bound[key] == 1 and is_open(each)}


def in_module(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    for each in tree.body:
        if isinstance(each, FUNCTIONS):
            yield each.name, each
        elif isinstance(each, ast.ClassDef) and not each.decorator_list:
            for method in each.body:
                if isinstance(method, FUNCTIONS):
                    is_made = method.name == "__init__"
                    yield (each.name if is_made else f"self.{method.name}"), method


def is_open(node: Function) -> bool:
    """Whether its parameters are what its calls may name."""
    return not node.decorator_list and not node.args.posonlyargs


def words(node: Function) -> list[str]:
    names = [each.arg for each in parameters(node)]
    return names[1:] if names[:1] == ["self"] else names


class Keywords(Calls):
    """`f(x=a, y=b)` for `f(a, b)`."""

    def rewritten(self, node: ast.Call) -> ast.Call | None:
        called = ast.unparse(node.func)
        names = self.own.get(called) or KEYWORDS.get(called, "").split()
        if len(names) < len(node.args):
            return None
        given = zip(names, node.args, strict=False)
        named = [ast.keyword(arg=word, value=value) for word, value in given]
        return ast.Call(node.func, [], [*named, *node.keywords])


class Partials(Calls):
    """`functools.partial(f, a)(b)` for `f(a, b)`."""

    def rewritten(self, node: ast.Call) -> ast.Call | None:
        is_method = isinstance(node.func, ast.Attribute) and root(node.func) not in self.constants
        if is_method and ast.unparse(node.func) not in self.own:
            return None
        first, *rest = node.args
        return ast.Call(call(dotted("functools.partial"), node.func, first), rest, node.keywords)

    def result(self) -> ast.Module | None:
        tree = super().result()
        return with_import(tree, "functools") if tree else None


class Stars(Calls):
    """`f(*(a, b))` for `f(a, b)`."""

    def rewritten(self, node: ast.Call) -> ast.Call | None:
        spread = ast.Starred(ast.Tuple(node.args, ast.Load()), ast.Load())
        return ast.Call(node.func, [spread], node.keywords)


def keyword(program: Program) -> ast.Module | None:
    return Keywords(program).result()


def partial(program: Program) -> ast.Module | None:
    return Partials(program).result()


def star(program: Program) -> ast.Module | None:
    return Stars(program).result()
