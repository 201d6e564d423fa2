"""What makes data, or makes something ready: on the CPU, before anything is moved."""

from __future__ import annotations

from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.queries.dotted_names import last_word
from devlint.queries.name_conventions import names_data_class

#: Methods of Python and PyTorch that work where the data is made, before it is moved: on the CPU.
READYING = frozenset("__init__ __getitem__ __iter__ reset_parameters".split())


def makes_data(*within: ir.Def | ir.Class) -> bool:
    """Whether a function, or a method in its class, makes data or constructs something."""
    return any(
        each.name in READYING if isinstance(each, ir.Def) else names_data(each) for each in within
    )


def is_data_class(owner: ClassInfo) -> bool:
    return any(names_data(each.node) for each in owner.line)


def names_data(node: ir.Class) -> bool:
    """Whether a class, by its name or that of a base, makes data."""
    return any(map(names_data_class, (node.name, *map(last_word, node.bases))))
