"""A rewriting: what it makes of a program, and whether it counts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from tests.laws.renaming import new_names, renamed

from .aliases import alias
from .annotations import annotation
from .base_classes import base_class
from .bindings import Dicts, Lists, Tuples, temporary, through
from .blocks import in_main, in_try, in_with, other_file
from .callers import caller
from .calls import keyword, star
from .calls import partial as partial_call
from .functions import anonymous, helper, method
from .loops import comprehension
from .places import Lines, written
from .program import Program
from .tensors import torch_function


@dataclass(frozen=True)
class Rewriting:
    """`tree` is None where it does not apply; one that is not counted is reported only."""

    name: str
    tree: Callable[[Program], ast.Module | None]
    is_counted: bool = True

    def text(self, program: Program) -> tuple[str, Lines] | None:
        """The program rewritten on its telling lines, or wherever that goes."""
        tree = self.tree(program) or self.tree(program.everywhere)
        return written(tree) if tree else None


def renaming(program: Program) -> ast.Module | None:
    """Variables, functions, classes and attributes have neutral names."""
    names = new_names(program.example)
    return ast.parse(renamed(program.code, names)) if names else None


REWRITINGS = (
    Rewriting("names", renaming),
    Rewriting("temporary", temporary),
    Rewriting("alias", alias),
    Rewriting("tuple", through(Tuples)),
    Rewriting("list", through(Lists)),
    Rewriting("dict", through(Dicts)),
    Rewriting("helper", helper),
    Rewriting("method", method),
    Rewriting("base-class", base_class),
    Rewriting("other-file", other_file, is_counted=False),
    Rewriting("keyword", keyword),
    Rewriting("torch-function", torch_function),
    Rewriting("annotation", annotation),
    Rewriting("with", in_with),
    Rewriting("try", in_try),
    Rewriting("main", in_main),
    Rewriting("comprehension", comprehension),
    Rewriting("lambda", anonymous),
    Rewriting("partial", partial_call),
    Rewriting("star", star),
    Rewriting("caller", caller),
)
