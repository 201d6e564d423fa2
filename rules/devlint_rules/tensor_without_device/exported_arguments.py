"""Arguments that a function makes NumPy arrays of: they are on the CPU."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import INNER, Device, Run, evident_names, ir, walk

Way = tuple[ir.Node, ...]
#: The nodes around one that need not run it, and in which of their fields it is.
Arms = tuple[tuple[ir.Node, str], ...]
#: What need not run when that runs which it is a part of. (Loops are taken to run.)
MAYBE = {
    ir.If: ("body", "orelse"),
    ir.Conditional: ("then", "orelse"),
    ir.Logic: ("values",),
    ir.Try: ("handlers", "orelse"),
    ir.Match: ("cases",),
    ir.Def: ("body",),
    ir.Lambda: ("body",),
}


def source_of(device: Device) -> ir.Parameter | None:
    """The one argument that a value is certainly on the device of."""
    sources = [atom.source for atom in device.likes]
    is_one = device.arms is None and len(sources) == len(device.atoms) == 1
    return sources[0] if is_one and isinstance(sources[0], ir.Parameter) else None


def is_bound(run: Run, source: ir.Parameter, meeting: Way, export: Way) -> bool:
    """Whether the function whose argument is the source comes from the one to the other whatever
    the tests between say. Of an argument that holds tensors not all need be in one place."""
    function = next((n for n in meeting if isinstance(n, ir.Def) and source in n.params), None)
    if function is None or function not in export:
        return False
    if source.name not in evident_names(run, function):
        return False
    here, there = (way[way.index(function) + 1] for way in (meeting, export))
    arms = {node: way for node, way in placed(function.body, ()) if node in (here, there)}
    if len(arms) < len({here, there}) or arms[there] != arms[here][: len(arms[there])]:
        return False
    return not returns_between(function, here, there)


def placed(node: object, arms: Arms) -> Iterator[tuple[ir.Node, Arms]]:
    """The nodes below one, each with the arms around it that need not run."""
    if isinstance(node, tuple):
        for each in node:
            yield from placed(each, arms)
    elif isinstance(node, ir.Node):
        yield node, arms
        maybe = MAYBE.get(node.__class__, ())
        for name in INNER[node.__class__]:
            around = (*arms, (node, name)) if name in maybe else arms
            yield from placed(getattr(node, name), around)


def returns_between(function: ir.Def, here: ir.Node, there: ir.Node) -> bool:
    """Whether a function may be left after one node and before another."""
    order = {node: index for index, node in enumerate(walk(function))}
    return any(
        order[here] < order[node] < order[there] and there not in walk(node)
        for node in order
        if isinstance(node, ir.Return)
    )
