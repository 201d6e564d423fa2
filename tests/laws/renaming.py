"""Renaming: what a user calls things, outside of all conventions, changes no finding."""

from __future__ import annotations

import ast
import io
import keyword
import tokenize
from collections.abc import Iterator
from itertools import count

from .examples import Example
from .known_names import WORD, conventions
from .law import Faults, differences, of_each


def faults(example: Example) -> Faults:
    names = new_names(example)
    if not names:
        return None
    return differences(example, example.places_in(renamed(example.code, names)))


LAW = of_each("renaming", faults)


def new_names(example: Example) -> dict[str, str]:
    """What the user's own names become."""
    assert example.tree is not None
    kept = set(kept_words(example.tree)) | set(WORD.findall(example.case.toml))
    kept.update(word for text in string_tokens(example.code) for word in WORD.findall(text))
    known, attributes = conventions(), set(members(example.tree))
    own = dict.fromkeys(defined(example.tree))
    free_names = (n for n in own if n not in kept and not is_special(n))
    chosen = (n for n in free_names if not known.know(n, is_member=n in attributes))
    free = free_numbers(example.code)
    return {name: shaped(name, number) for name, number in zip(chosen, free, strict=False)}


def free_numbers(code: str) -> Iterator[int]:
    """The numbers that make neutral words which a text does not have."""
    taken = set(WORD.findall(code))
    return (number for number in count(1) if not taken & {f"q{number}", f"Q{number}"})


def shaped(name: str, number: int) -> str:
    """A neutral word; privacy and a capital are conventions of Python, and stay."""
    bare = name.lstrip("_")
    letter = "Q" if bare[:1].isupper() else "q"
    return f"{name[: len(name) - len(bare)]}{letter}{number}"


def is_special(name: str) -> bool:
    return keyword.iskeyword(name) or name == "_" or name.startswith("__")


def defined(tree: ast.AST) -> Iterator[str]:
    """The variables, functions, classes and attributes that a program itself makes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def members(tree: ast.AST) -> Iterator[str]:
    """What may be a name of a library's, if a program uses it in such a place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name


def kept_words(tree: ast.AST) -> Iterator[str]:
    """What others named: keyword arguments, imports and what is taken from them."""
    imported = set(imports(tree))
    yield from imported
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.MatchClass):
            yield from node.kwd_attrs
        elif isinstance(node, ast.Attribute) and root(node) in imported:
            yield node.attr


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield from WORD.findall(f"{alias.name} {alias.asname or ''}")
            yield from WORD.findall(getattr(node, "module", None) or "")


def root(node: ast.expr) -> str:
    """The name that a chain of attributes starts with; empty where it starts with none."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def string_tokens(code: str) -> Iterator[str]:
    """Strings may name anything, before Python 3.12 f-strings with the code in them."""
    parts = ("STRING", "FSTRING_MIDDLE")
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if tokenize.tok_name[token.type] in parts:
            yield token.string


def renamed(code: str, names: dict[str, str]) -> str:
    """The code with other names, each on its line."""
    lines = code.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    for token in reversed(tokens):
        if token.type == tokenize.NAME and token.string in names:
            (row, start), (_, end) = token.start, token.end
            line = lines[row - 1]
            lines[row - 1] = line[:start] + names[token.string] + line[end:]
    return "\n".join(lines)
