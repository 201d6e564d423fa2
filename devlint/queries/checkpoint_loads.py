"""Which calls load checkpoints, and whether they say to where."""

from __future__ import annotations

import os

from devlint.document.reader import NOTEBOOK
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
    """Whether others than the program that saves may load checkpoints without saying to where:
    another one near it does, in its folder, in one below it or above; or none that is looked at
    loads any, and so who does is not known. A notebook that loads what it has saved does so in one
    session, where nothing has changed."""
    near = [each for each in place.naming("load") or () if is_near(place.module, each)]
    sources = {each: place.project.source(each) for each in near}
    found = {each: source.once(loads) for each, source in sources.items() if source}
    own = place.module if place.module.path.endswith(NOTEBOOK) else None
    others = (maps for each, told in found.items() if each != own for maps in told)
    return not any(found.values()) or not all(others)


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
