"""The examples in docstrings: prompts of Python, and blocks of code without them."""

from __future__ import annotations

import ast
import doctest
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

_FENCED = re.compile(r"^[ \t]*```(?:py|python)\n(.*?)^[ \t]*```", re.M | re.S)
_INDENTED = re.compile(
    r"^([ \t]*).*(?:example|usage)[^\n]*::?[ \t]*\n(?:[ \t]*\n)*"
    r"((?:(?:\1[ \t]+[^\n]*|[ \t]*)(?:\n|\Z))+)",
    re.M | re.I,
)
_PROMPT = ">>>"


@dataclass(frozen=True, slots=True)
class Statement:
    source: str
    is_to_raise: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """All the code in one docstring."""

    subject: str
    module: ModuleType
    statements: tuple[Statement, ...]

    def run(self) -> None:
        """As doctest does; what is printed is compared with nothing."""
        names: dict[str, Any] = {"torch": torch, "nn": torch.nn, **vars(self.module)}
        names["__name__"] = "__main__"
        for each in self.statements:
            code = compile(each.source, f"<{self.subject}>", "exec", dont_inherit=True)
            try:
                exec(code, names)
            except Exception:
                if not each.is_to_raise:
                    raise


def example(name: str, module: ModuleType, docstring: str) -> Example | None:
    """That of a docstring, if it has any code."""
    statements = tuple(_with_prompts(docstring) if _PROMPT in docstring else _blocks(docstring))
    return Example(f"the docstring of {name}", module, statements) if statements else None


def _with_prompts(docstring: str) -> Iterator[Statement]:
    """None of those that doctest is to skip, or cannot read."""
    try:
        found = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return
    for each in found:
        if not each.options.get(doctest.SKIP):
            yield Statement(each.source, each.exc_msg is not None)


def _blocks(docstring: str) -> Iterator[Statement]:
    for block in (*_FENCED.findall(docstring), *(each for _, each in _INDENTED.findall(docstring))):
        source = textwrap.dedent(block)
        if _is_code(source):
            yield Statement(source)


def _is_code(source: str) -> bool:
    """Python that calls something."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return any(isinstance(node, ast.Call) for node in ast.walk(tree))
