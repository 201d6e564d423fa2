"""Another file: what a program defines is imported."""

from __future__ import annotations

import ast

from tests.laws.definition_order import DEFINITIONS

from .main_functions import is_definition, words
from .program import Program
from .syntax import everything_stored, preamble


def other_file(program: Program) -> ast.Module | None:
    """Functions and classes that read no variable of the module are imported from `parts`."""
    tree = program.tree()
    gone = [each for each in tree.body if isinstance(each, DEFINITIONS)]
    kept = everything_stored(*(each for each in tree.body if not is_definition(each)))
    while staying := [each for each in gone if not kept.isdisjoint(words([each]))]:
        kept |= {each.name for each in staying}
        gone = [each for each in gone if each not in staying]
    if not gone or len({each.name for each in gone}) < len(gone):
        return None
    tree.body = [each for each in tree.body if each not in gone]
    aliases = [ast.alias(each.name) for each in gone]
    tree.body.insert(preamble(tree), ast.ImportFrom("parts", aliases, 0))
    return tree
