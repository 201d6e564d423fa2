"""An operator changes one place of a correct program; each place gives one mutant."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TypeAlias

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from .syntax import nodes_below

#: What a node may become, one at a time; None removes it.
Changes: TypeAlias = Callable[[cst.CSTNode], Iterator[cst.CSTNode | None]]


@dataclass(frozen=True, slots=True)
class Operator:
    """`is_silent`: what breaks may raise nothing on the machine where it runs."""

    name: str
    changes: Changes
    is_silent: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """`path` is where it stands, `title` the case of a page."""

    path: str
    title: str
    text: str

    def __str__(self) -> str:
        return f"{self.path} ({self.title})" if self.title else self.path


@dataclass(frozen=True)
class Mutant:
    """`line` is where the program was changed."""

    program: Program
    operator: Operator
    line: int
    text: str

    @cached_property
    def digest(self) -> str:
        """Of the code; comments and empty lines do not count."""
        lines = (re.sub(r"\s*(#.*)?$", "", line) for line in self.text.split("\n"))
        return sha256("\n".join(filter(None, lines)).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return f"{self.program}:{self.line} {self.operator.name}"


def mutants(program: Program, operators: Sequence[Operator]) -> Iterator[Mutant]:
    """Every text once, under the first operator that makes it."""
    wrapper = MetadataWrapper(cst.parse_module(program.text))
    module, positions = wrapper.module, wrapper.resolve(PositionProvider)
    seen = {program.text}
    for operator in operators:
        for node in (module, *nodes_below(module)):
            for new in operator.changes(node):
                text = replaced(module, node, new)
                if text not in seen and parses(text):
                    seen.add(text)
                    yield Mutant(program, operator, positions[node].start.line, text)


def replaced(module: cst.Module, node: cst.CSTNode, new: cst.CSTNode | None) -> str:
    if node is module:
        assert isinstance(new, cst.Module)
        return new.code
    changed = module.deep_remove(node) if new is None else module.deep_replace(node, new)
    assert isinstance(changed, cst.Module)
    return changed.code


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
