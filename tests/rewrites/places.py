"""Places: where what stood on a line of a program stands after it was rewritten."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TypeAlias, TypeVar

#: The line and the code of a finding.
Place: TypeAlias = "tuple[int, str]"
Places: TypeAlias = "Counter[Place]"
#: The new lines of the old ones.
Lines: TypeAlias = "Mapping[int, set[int]]"
Node = TypeVar("Node", bound=ast.AST)


def placed(node: Node, line: int) -> Node:
    """The node on a line, with everything in it that has none."""
    for part in ast.walk(node):
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            part.lineno = line  # type: ignore[attr-defined]
            part.col_offset = 0  # type: ignore[attr-defined]
    return node


def written(tree: ast.Module) -> tuple[str, Lines]:
    """The text of a rewritten tree, and where the lines went that its nodes were on.

    What a rewriting put in without a place was on no line.
    """
    text = ast.unparse(placed(tree, 0))
    compile(text, "rewritten.py", "exec", dont_inherit=True)
    lines = defaultdict[int, set[int]](set)
    for old, new in zip(ast.walk(tree), ast.walk(ast.parse(text)), strict=True):
        if isinstance(old, (ast.stmt, ast.expr, ast.excepthandler)):
            assert type(old) is type(new), f"{ast.dump(old)} is read as {ast.dump(new)}"
            lines[old.lineno].add(getattr(new, "lineno", 0))
    lines.pop(0, None)
    return text, lines


def survivors(before: Places, after: Places, lines: Lines) -> list[tuple[Place, Place]]:
    """The findings that are there still, old and new: each on a line that its line became."""
    left, found = Counter(after), list[tuple[Place, Place]]()
    for old in sorted(before.elements(), key=lambda place: len(lines.get(place[0], ()))):
        here = [(new, old[1]) for new in sorted(lines.get(old[0], ())) if left[new, old[1]]]
        if here:
            left[here[0]] -= 1
            found.append((old, here[0]))
    return found
