"""Says where the two front ends lower the files below folders differently.

Run as `python tests/same_lowering.py FOLDER...`; exits with 1 if any file differs.
"""

from __future__ import annotations

import sys
import tokenize
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from devlint.lower import from_ast, from_cst, ir
from devlint.lower.limits import RECURSION_LIMIT, obstacle


def children(value: object) -> Iterator[object]:
    """The parts of a node or a tuple, in order."""
    if isinstance(value, ir.Node):
        yield from [getattr(value, field.name) for field in fields(value) if field.name != "at"]
    elif isinstance(value, tuple):
        yield from value


def shape(value: object) -> object:
    """What must be equal of two values beside their children."""
    if isinstance(value, ir.Node | tuple):
        return type(value), len(list(children(value)))
    return type(value), repr(sorted(value)) if isinstance(value, frozenset) else repr(value)


def pairs(one: object, other: object) -> Iterator[tuple[object, object]]:
    """Corresponding values of two modules, as far as their shapes agree."""
    waiting = [(one, other)]
    while waiting:
        one, other = waiting.pop()
        yield one, other
        if shape(one) == shape(other):
            waiting.extend(zip(children(one), children(other), strict=True))


def nodes(value: object) -> Iterator[ir.Node]:
    for node, _ in pairs(value, value):
        if isinstance(node, ir.Node):
            yield node


def in_texts(value: object) -> set[ir.Node]:
    """The nodes whose spans `ast` misplaces before Python 3.12."""
    if sys.version_info >= (3, 12):
        return set()
    texts = [node for node in nodes(value) if isinstance(node, ir.Text)]
    return {node for text in texts for field in text.fields for node in nodes(field)}


def differences(text: str) -> Iterator[str]:
    fast, exact = from_ast.lower(text), from_cst.lower(text)
    fast_spans = fast.spans(list(nodes(fast.module)))
    exact_spans = exact.spans(list(nodes(exact.module)))
    misplaced = in_texts(fast.module)
    for one, other in pairs(fast.module, exact.module):
        if shape(one) != shape(other):
            yield f"{shape(one)} by ast is {shape(other)} by LibCST"
        elif isinstance(one, ir.Node) and isinstance(other, ir.Node):
            spans = fast_spans[one], exact_spans[other]
            if one not in misplaced and spans[0] != spans[1]:
                yield f"{type(one).__name__}: {spans[0]} by ast, {spans[1]} by LibCST"


def main(folders: list[str]) -> int:
    sys.setrecursionlimit(RECURSION_LIMIT)
    files = sorted(path for folder in folders for path in Path(folder).rglob("*.py"))
    count = 0
    for path in files:
        with tokenize.open(path) as file:
            text = file.read()
        reason = obstacle(text)
        if reason is not None:
            print(f"{path}: skipped: {reason}")
            continue
        for difference in differences(text):
            count += 1
            print(f"{path}: {difference}", flush=True)
    print(f"{len(files)} files, {count} differences")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
