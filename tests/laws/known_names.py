"""Names that mean something to devlint, or to what it knows of libraries."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TypeGuard

import devlint_rules

import devlint
from devlint.run.prefilter import mentions_devices

#: The folders of devlint in which names of users are matched.
FOLDERS = "analyses facts flow interpret models queries values".split()
WORD = re.compile(r"[^\W\d]\w*")
#: A pattern that finds these finds every name, and so it is no convention.
NEUTRAL = ("q1", "Q1", "_q1")


@dataclass(frozen=True, slots=True)
class Conventions:
    """The names themselves, what they begin or end with, and the patterns that find them."""

    #: Of any kind, and those that count only where they are functions or attributes.
    words: frozenset[str]
    members: frozenset[str]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]

    def know(self, name: str, *, is_member: bool) -> bool:
        return (
            name in self.words
            or (is_member and name in self.members)
            or name.startswith(self.starts)
            or name.endswith(self.ends)
            or any(pattern.search(name) for pattern in self.patterns)
            or mentions_devices(f"torch {name}")
        )


@cache
def conventions() -> Conventions:
    """All names by which devlint may judge, taken from its code.

    From the modules of `FOLDERS` and of the built-in rules come the words of the tables and sets
    on the level of modules, what `startswith` and `endswith` are asked for, and the compiled
    patterns on the level of modules, those behind `names_device` and its like in
    `queries/name_conventions.py` among them. `know` asks the prefilter, too. Functions and
    attributes may also be what a library calls its own: every text of one word or of dotted words
    (`"forward"`, `"torch.nn.Linear"`), and the tables of `facts` and `models`. Prose (messages,
    docstrings) counts for nothing.
    """
    words, members = set(dir(builtins)), set[str]()
    starts, ends = set[str](), set[str]()
    patterns: list[re.Pattern[str]] = []
    for module in modules():
        tree = ast.parse(inspect.getsource(module))
        (members if is_of_libraries(module) else words).update(words_of(tables(module)))
        if not module.__name__.startswith("devlint.facts."):
            members.update(words_of(texts(tree)))
        starts.update(affixes(tree, module, "startswith"))
        ends.update(affixes(tree, module, "endswith"))
        patterns += (each for each in vars(module).values() if is_convention(each))
    kinds = frozenset(words), frozenset(members)
    return Conventions(*kinds, tuple(starts), tuple(ends), tuple(patterns))


def is_of_libraries(module: ModuleType) -> bool:
    return module.__name__.split(".")[1] in ("facts", "models")


def words_of(texts: Iterable[str]) -> Iterator[str]:
    return (word for text in texts for word in WORD.findall(text))


def modules() -> Iterator[ModuleType]:
    for name in submodules(devlint):
        if name.split(".")[1] in FOLDERS:
            yield importlib.import_module(name)
    yield from map(importlib.import_module, submodules(devlint_rules))


def submodules(package: ModuleType) -> Iterator[str]:
    for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not each.name.endswith("__main__"):
            yield each.name


def is_dotted(text: object) -> TypeGuard[str]:
    """Whether it is a word, or words with dots between them."""
    return isinstance(text, str) and all(map(str.isidentifier, text.split(".")))


def texts(tree: ast.AST) -> Iterator[str]:
    """Texts that may be compared with a name: not those that mark a value, `payload="placed"`."""
    marks = {node.value for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and node not in marks else None
        if is_dotted(text):
            yield text


def tables(module: ModuleType) -> Iterator[str]:
    """The texts in the sets, tuples and tables on the level of a module."""
    for name, table in vars(module).items():
        if name.isupper() and isinstance(table, (frozenset, set, tuple, list, dict)):
            yield from filter(is_dotted, table)


def affixes(tree: ast.AST, module: ModuleType, method: str) -> Iterator[str]:
    """What `startswith` or `endswith` is asked for, as far as it is part of a word."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == method:
            for text in asked(node.args[0], module):
                if text.isidentifier() and (method, text) != ("startswith", "_"):
                    yield text


def asked(node: ast.expr, module: ModuleType) -> Iterator[str]:
    """The texts that an argument stands for."""
    if isinstance(node, ast.Name):
        table = getattr(module, node.id, ())
        yield from (table,) if isinstance(table, str) else (t for t in table if isinstance(t, str))
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def is_convention(thing: object) -> bool:
    return isinstance(thing, re.Pattern) and not any(map(thing.search, NEUTRAL))
