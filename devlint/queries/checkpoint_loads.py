"""Which calls load checkpoints, and whether they say to where."""

from __future__ import annotations

import os

from devlint.facts.effect import Loads
from devlint.facts.signature import signature
from devlint.facts.table import FACTS
from devlint.lower import ir
from devlint.lower.walk import imports, walk
from devlint.project.modules import Module
from devlint.project.project import Place
from devlint.queries.dotted_names import path

#: What loads from a file, rather than from an address.
LOADS = {
    name: fact
    for name, fact in FACTS.items()
    if isinstance(fact, Loads) and signature(fact.signature).parameters[0].name != "url"
}


def are_read_as_saved(place: Place) -> bool:
    """Whether another program loads checkpoints near the one that saves, and does not say to
    where: in its folder, in one below it or above; so may be where not all is looked at."""
    named = place.naming("load")
    if named is None:
        return True
    near = (each for each in named if each != place.module and is_near(place.module, each))
    sources = map(place.project.source, near)
    return any(not maps for each in sources if each for maps in each.once(loads))


def is_near(one: Module, other: Module) -> bool:
    folders = one.folder, other.folder
    return os.path.commonpath(folders) in folders


def loads(module: ir.Module) -> list[bool]:
    """For each call that loads a checkpoint, whether it says to where."""
    names, found = imported(module), []
    for call in walk(module):
        words = path(call.func) if isinstance(call, ir.Call) else []
        fact = LOADS.get(".".join([names.get(words[0], ""), *words[1:]])) if words else None
        if fact is not None and isinstance(call, ir.Call):
            keywords = [name for name, _ in call.keywords]
            is_placed = len(call.args) > position(fact) or "map_location" in keywords
            found.append(is_placed or is_spread(call))
    return found


def imported(module: ir.Module) -> dict[str, str]:
    """What the names that a program imports stand for."""
    found: dict[str, str] = {}
    for each in imports(module):
        for name, alias in each.names:
            if isinstance(each, ir.ImportFrom):
                found[alias or name] = f"{each.module}.{name}"
            else:
                shown = alias or name.partition(".")[0]
                found[shown] = name if alias else shown
    return found


def is_spread(node: ir.Call) -> bool:
    """Whether a call has arguments that are not written out (`*x`, `**x`)."""
    return any(name is None for name, _ in node.keywords) or any(
        isinstance(each, ir.Starred) for each in node.args
    )


def position(fact: Loads) -> int:
    """How many arguments of a function may stand before its `map_location`."""
    names = [parameter.name for parameter in signature(fact.signature).parameters]
    return names.index("map_location")
