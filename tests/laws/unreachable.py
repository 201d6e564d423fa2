"""Unreachable: code that never runs changes no finding and has none of its own."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from .examples import Example
from .law import Faults, differences, of_each

#: One is put between statements.
BETWEEN = (
    "if False:\n    import torch; torch.ones(3, device='cuda') + torch.ones(3)\n",
    "while False:\n    import torch; torch.ones(3, device='cuda') + torch.ones(3)\n",
    "if 0:\n    import torch; torch.ones(3).cuda() @ torch.ones(3)\n",
    "if True:\n    pass\nelse:\n    import torch; torch.ones(3).cuda() @ torch.ones(3)\n",
)
BEHIND = (
    "def behind():\n    return\n    import torch; torch.ones(3, device='cuda') + torch.ones(3)\n"
)
#: It tells of what stands there, whether it runs or not.
LITERALS = "DEV701"


def faults(example: Example) -> Faults:
    found: list[str] = []
    lines = example.code.rstrip("\n").split("\n")
    dead = BETWEEN[len(lines) % len(BETWEEN)]
    for at, code in (*((at, dead) for at in places(example)), (len(lines), BEHIND)):
        text = "\n".join([*lines[:at], code.rstrip("\n"), *lines[at:]])
        moved = back(example.places_in(text), at, code.count("\n"))
        what = code.partition("\n")[0]
        found += (f"`{what}` behind line {at}: {each}" for each in differences(example, moved))
    return found


LAW = of_each("unreachable", faults)


def places(example: Example) -> Iterator[int]:
    """The last line of a statement behind which another one may stand."""
    assert example.tree is not None
    body = example.tree.body
    ends = [each.end_lineno or 0 for each in body if not is_first(each)]
    free = [end for end in ends if end not in {each.lineno for each in body if each.lineno != end}]
    chosen = [end for end in free if ends.count(end) == 1 and is_whole(example.code, end)]
    yield from chosen[len(chosen) // 2 :][:1]


def is_first(statement: ast.stmt) -> bool:
    """Of those that come before all others."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")


def is_whole(code: str, end: int) -> bool:
    """Whether the statements up to a line are a program."""
    try:
        ast.parse("\n".join(code.split("\n")[:end]))
    except SyntaxError:
        return False
    return True


def back(found: Counter[tuple[int, str]], at: int, lines: int) -> Counter[tuple[int, str]]:
    """The places as they are without the lines that were put behind a line."""
    return Counter(
        {
            (line if line <= at else line - lines if line > at + lines else -line, code): number
            for (line, code), number in found.items()
            if code != LITERALS or not at < line <= at + lines
        }
    )
