"""Attributes that the methods of a class put on a device, by their text."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.interpret.core.class_summary import stored_outside
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.objects.module_methods import FLUENT
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.loop_moves import MOVES, is_move
from devlint.queries.name_conventions import is_self, source_text

PLACES = MOVES | {"cpu", "to_empty"}


def placed(run: Run, owner: ClassInfo) -> frozenset[str]:
    """The attributes that the methods of a class put on a device whenever they assign or move
    them, always on the same one, and nobody anywhere else."""
    if owner.is_module:
        return frozenset()  # Whoever moves the whole moves them.
    found: dict[str, set[str | None]] = {}
    for each in owner.line:
        for name, where in run.once(placements_in, each, each):
            found.setdefault(name, set()).add(where)
    always = frozenset(n for n, places in found.items() if None not in places and len(places) == 1)
    return always and always - stored_outside(run)


def placements_in(owner: ClassInfo) -> frozenset[tuple[str, str | None]]:
    """The attributes that the methods of one class assign or move, and where each puts them."""
    methods = (each.node for each in owner.methods.values())
    nodes = (node for method in methods if isinstance(method, ir.Def) for node in walk(method))
    return frozenset(found for node in nodes for found in placements(node))


def placements(node: ir.Node) -> Iterator[tuple[str, str | None]]:
    """Attributes of `self` that a node moves or assigns, and where that puts them, if anywhere."""
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        subject = node.func.value
        if (
            node.func.name in PLACES
            and isinstance(subject, ir.Attribute)
            and is_self(subject.value)
        ):
            yield subject.name, place(node)
    if isinstance(node, ir.Assign) and not is_none(node.value):
        for target in node.targets:
            for part in walk(target):
                if isinstance(part, ir.Attribute) and is_self(part.value):
                    yield part.name, place(node.value) if part is target else None


def is_none(node: ir.Expression) -> bool:
    return isinstance(node, ir.Constant) and node.value is None


def place(node: ir.Expression) -> str | None:
    """Where an expression such as `Net().to(device).eval()` puts what it gives."""
    while isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        if node.func.name in PLACES:
            named = [value for _, value in node.keywords]
            return ",".join(map(source_text, [*node.args, *named])) if is_move(node, {}) else None
        if node.func.name not in FLUENT:
            return None
        node = node.func.value
    return None
